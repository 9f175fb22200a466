"""What a piece of feedback is about: the bot's own label first, then words of the text, then the path.

The words are those that reviewers use, strong and weak ones. Each counts once, and twice as much in the first
sentence. The best score wins; of two alike, the row above. What nothing speaks for is about whether the code is
right: `correctness`; on no file, `other`.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from baton.artifacts.file_name import is_test
from baton.feedback.text.markdown import Span, comments, fences, without

CATEGORIES = (
    "error-handling", "validation", "type-safety", "naming", "performance", "testing", "security", "documentation",
    "style", "architecture", "correctness", "other",
)  # fmt: skip
# What a comment is about stands at its beginning.
READ, WEIGHED = 20_000, 4_000
STRONG, WEAK, FIRST = 3, 1, 2


class Category(NamedTuple):
    """One of CATEGORIES, and whether its bot's label or two strong words spoke for it."""

    name: str
    sure: bool


class Words(NamedTuple):
    """The words and phrases that speak for a category, from the most telling category to the least.

    `word*` begins like that, `word+` may end in an s, and `*` alone is any word.
    """

    category: str
    strong: str
    weak: str


class Label(NamedTuple):
    """A bot's own word for a kind of finding; `sure` when it names the category itself."""

    word: str
    category: str
    sure: bool


LABELS = (
    Label("secur|vulnerab|credential|secret", "security", True),
    Label("perform|efficien|scalab", "performance", True),
    Label("error.?handl|exception", "error-handling", True),
    Label("validat", "validation", True),
    Label("type.?safe|typing", "type-safety", True),
    Label("naming", "naming", True),
    Label("document|docs|typo|grammar", "documentation", True),
    Label("test|coverage", "testing", True),
    Label("style|format|lint", "style", True),
    Label("architect|duplicat|design|coupling", "architecture", True),
    Label("correct|bug|logic", "correctness", True),
    Label("data.?integrity", "validation", False),
    Label("reliab|stabil|robust", "error-handling", False),
    Label("refactor|maintainab", "architecture", False),
    Label("nit|readab", "style", False),
)
WORDS = (
    Words("security",
          "attacker*, authenticat*, authorisation, authorization, credential+, csrf, exploit*, injection, "
          "innerhtml, insecure, insecurity, jwt, malicious, md5, password+, plaintext, privilege*, sanitiz*, "
          "secret+, secure, security, sha1, ssrf, tls, unauthenticated, untrusted, vulnerab*, xss, access "
          "token+, api key+, auth token+, bearer token+, constant time, cve *, injected from, injected into, "
          "injected via, into the query, open redirect, path traversal, plain text, private key+, remote code, "
          "commit sha, immutable commit, internal details, shell true, user controlled, verify false",
          "encrypt*, escape, escaped, escaping, expose+, exposed, hash, hashing, leak+, permission+, token+, "
          "unescaped, user input"),
    Words("testing",
          "assert*, coverage, fixture+, flaky, mock*, parametris*, parametriz*, stub+, test+",
          "ci, cover, jest, pytest, snapshot+, spec+, vitest, edge case+"),
    Words("documentation",
          "changelog, doc+, docstring+, documentation, godoc, grammar, javadoc, jsdoc, misspell*, readme*, "
          "typo+, wording, a comment, add comment, broken link, comment are, comment explain*, comment is, "
          "comments are, comment on, comment say+, comment that, document it, document that, document the, "
          "document this, heading level+, in the comment, outdated comment, release notes, short comment",
          "clarify, comment, describ*, example+, explain*, guide, heading+, mention*, outdated, paragraph, "
          "spelling"),
    Words("naming",
          "camelcase, identifier+, naming, pascalcase, renam*, be called, be named, better name+, camel case, "
          "class name+, clearer name+, descriptive name+, double negative, file name+, function name+, magic "
          "number+, method name+, misleading * name+, misleading name+, name the, parameter name+, pascal case, "
          "snake case, variable name+",
          "called, consistent, inconsistent, misleading, name+, spelling, typo in the variable"),
    Words("type-safety",
          "annotation+, cast+, casting, generic+, mypy, pyright, typeddict, typescript, unchecked, union+, any "
          "type, as any, as unknown, by type, literal type, non null assertion, optional *, record *, return "
          "type+, ts expect error, ts ignore, type check*, type error+, type guard+, type hint+, type mismatch, "
          "type safe*, type system, typed as, typed dict, avoid any, use any",
          "declared, enum, narrow, nullable, type+, typed, undefined"),
    Words("error-handling",
          "catch*, crash*, discarded, err, except, exception+, fallback+, finally, halfway, panic+, "
          "rejection+, retries, retry*, rollback, swallow*, throw+, thrown, unavailable, "
          "unhandled, unwrap, error are, error from, error handling, error is, error when, errors are, errors "
          "from, errors is, errors when, log the error, null deref*, null pointer, original error, returned "
          "error, status code, the original error, the returned error",
          "cleanup, error+, raise+, raised, raising, fail+, failed, failure, malformed, nil, null, "
          "reject, silently, timeout+, clean up"),
    Words("validation",
          "anchored, boundary, enforce*, invalid, validat*, bound check, bound condition, boundary check, "
          "boundary condition, bounds check, bounds condition, checke for, checke that, checke whether, checked "
          "for, checked that, checked whether, comes before, duplicate in, duplicates in, empty array, empty "
          "input, empty list, empty string, guard against, in range, larger than, negative amount+, negative "
          "number+, negative value+, never checked, off by one, out of bounds, out of range, range check, "
          "reject* empty*, reject* invalid*, reject* negative*, reject* unknown*, required field+, sanity check, "
          "unknown keys, verifies that, verify that, within bounds",
          "blank, check, empty, input, negative, passes, range, reject, schema, zero"),
    Words("performance",
          "allocat*, batch*, cache+, cached, caching, expensive, inefficien*, latency, linear, memois*, memoiz*, "
          "paginat*, performance, prefetch*, quadratic, recomputed, rerender*, slow*, throughput, block* i o, "
          "block* the event loop, compiled on every, event loop, full table scan, hot path, in parallel, index "
          "on, into memory, leak descriptors, leak handles, leak memory, memory leak, leak memory, leaks memory, "
          "n 1, never closed, o n*, promise all, re render*, redundant call+, redundant quer*, redundant "
          "request+, select *, stream it, unnecessary cop*",
          "copies, copy, hoist, large, loop+, memory, row+, serializes, unbounded, in each iteration, per "
          "request"),
    Words("architecture",
          "abstraction*, architect*, composition, duplicate * logic, duplicate * * logic, controller, "
          "coupled, couples, coupling, duplicate, duplicated, "
          "extract*, inheritance, refactor*, responsibilit*, singleton+, backward compatible, backward "
          "incompatible, backwards compatible, backwards incompatible, behind an interface, belong in, belongs "
          "in, breaking change, circular dependency*, circular import*, data layer, data model, dependency "
          "between, dependency on, depends between, depends on, does too much, domain layer, domain model, "
          "duplication code, duplication logic, duplication of, global state, helper for, implementation detail, "
          "inject the, not dry, own file, own function, own module, public api, public interface, repository "
          "class, same logic, separate module+, service layer, service model, shared function, shared helper, "
          "shared module, should live",
          "design, helper, interface, layer+, logic, module+, reusable, reuse, split"),
    Words("style",
          "eslint, format, formatter, formatting, indentation, leftover, lint*, prettier, readab*, semicolon+, "
          "simplified, simplify, sorted, spacing, style, ternaries, ternary, unused, whitespace, blank line+, "
          "commented out, console log, dead code, debug print, double quotes, extra blank line, extra line, f "
          "string+, import should, imports should, line is too long, list comprehension, never reassigned, "
          "newline at, one line, prefer * over, single quotes, too long, with black",
          "cosmetic, import+, nit*, operator, quotes, redundant, remove, tidy"),
    Words("correctness",
          "bug+, deadlock*, incorrect*, inverted, mismatch*, regress*, unreachable, always false, always true, "
          "does not match, infinite loop, is wrong, logic error, missing await, never called, "
          "never reached, never runs, not awaited, race condition+, wrong result+, wrong value+",
          "broken, double, ignore+, instead, order, stale, twice, wrong"),
)  # fmt: skip
FIRST_SENTENCE = re.compile(r"[^\n]*?(?:[.!?](?=\s|\*|$)|\n|$)")
QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.M)
URL = re.compile(r"https?://\S+|!\[[^\[\]]*\](?:\([^()]*\))?")
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
DOCS = re.compile(r"(?:^|/)(?:docs?/|documentation/|(?:readme|changelog|contributing)[^/]*$)|\.(?:mdx?|rst|adoc)$")


class TellingPhrase(NamedTuple):
    """Words in a row that speak for a category."""

    words: tuple[str, ...]
    category: str
    weight: int


def _phrases() -> dict[str, list[TellingPhrase]]:
    """Return every phrase by its first word."""
    found: dict[str, list[TellingPhrase]] = {}
    for row in WORDS:
        for listed, weight in ((row.strong, STRONG), (row.weak, WEAK)):
            for phrase in listed.split(", "):
                for form in {phrase.removesuffix("+"), phrase.replace("+", "s")}:
                    words = tuple(form.split())
                    found.setdefault(words[0], []).append(TellingPhrase(words, row.category, weight))
    return found


PHRASES = _phrases()
WORD = re.compile(r"\w+")


@lru_cache(maxsize=4096)
def _begun_by(word: str) -> tuple[TellingPhrase, ...]:
    """Return the phrases that may begin with a word."""
    names = (word, *(f"{word[:length]}*" for length in range(2, min(len(word), 16) + 1)))
    return tuple(phrase for name in names for phrase in PHRASES.get(name, ()))


def category_of(text: str, label: str, path: str | None) -> Category:
    """Tell what a text is about, given the bot's own label ("" for none) and the file it is about."""
    named = next((row for row in LABELS if re.search(row.word, label[:200].lower())), None) if label else None
    if named and named.sure:
        return Category(named.category, True)
    scores, strong = _scores(_prose(text))
    if named:
        scores[named.category] += WEAK
    best = max(scores, key=lambda name: scores[name])
    if scores[best]:
        return Category(best, strong[best] > 1)
    return Category(_of_path((path or "").lower(), bool(text)), False)


def _of_path(path: str, has_text: bool) -> str:
    """Return what a file alone tells; of code that something was said on, whether it is right."""
    by_path = "testing" if is_test(path) else "documentation" if DOCS.search(path) else ""
    return by_path or ("correctness" if path and has_text else "other")


def _scores(prose: str) -> tuple[dict[str, int], dict[str, int]]:
    """Return the score of each category, and how many strong phrases spoke for it."""
    first = FIRST_SENTENCE.match(prose)
    words, opening = WORD.findall(prose), len(WORD.findall(prose, 0, first.end() if first else 0))
    telling = {word: phrases for word in set(words) if (phrases := _begun_by(word))}
    scores, strong = ({row.category: 0 for row in WORDS} for _ in range(2))
    met: set[tuple[str, int, tuple[str, ...]]] = set()  # each counts once
    for number, word in enumerate(words):
        if word not in telling:
            continue
        for phrase in telling[word]:
            if _fits(phrase.words, words, number):
                spoken = (phrase.category, phrase.weight, tuple(words[number : number + len(phrase.words)]))
                if spoken not in met:
                    met.add(spoken)
                    scores[phrase.category] += phrase.weight * (FIRST if number < opening else 1)
                    strong[phrase.category] += phrase.weight == STRONG
        telling[word] = tuple(phrase for phrase in telling[word] if len(phrase.words) > 1)
    return scores, strong


def _fits(wanted: tuple[str, ...], words: list[str], start: int) -> bool:
    """Whether the wanted words stand in a row; the first is known to."""
    if start + len(wanted) > len(words):
        return False
    for place in range(1, len(wanted)):
        want, word = wanted[place], words[start + place]
        if word != want and not (want[-1] == "*" and word.startswith(want[:-1])):
            return False
    return True


def _prose(text: str) -> str:
    """Return the words of a text in lower case, without its code blocks, quotes and links."""
    start = text[:READ]
    spans = [*comments(start), *(Span(one.start, one.end) for one in fences(start))]
    bare = QUOTED_LINE.sub("", without(start, spans))
    return TAG.sub(" ", URL.sub(" ", bare)).replace("**", "").strip().lower()[:WEIGHED]

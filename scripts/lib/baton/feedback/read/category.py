"""What a piece of feedback is about: the bot's own label first, then words of the text, then the path.

The words are those that reviewers use: a strong one settles the matter alone, a weak one needs company. Each
counts once, and twice as much in the first sentence. The best score wins; of two alike, the row above.
"""

import re
from typing import NamedTuple

from baton.feedback.text.markdown import Span, comments, fences, without

CATEGORIES = (
    "error-handling", "validation", "type-safety", "naming", "performance", "testing", "security", "documentation",
    "style", "architecture", "other",
)  # fmt: skip
# What a comment is about stands at its beginning.
READ, WEIGHED = 20_000, 4_000
STRONG, WEAK, FIRST = 3, 1, 2


class Category(NamedTuple):
    """One of CATEGORIES, and whether more than a path or a single weak word spoke for it."""

    name: str
    sure: bool


class Words(NamedTuple):
    """The words that speak for a category, from the most telling category to the least."""

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
    Label("data.?integrity", "validation", False),
    Label("reliab|stabil|robust", "error-handling", False),
    Label("refactor|maintainab", "architecture", False),
    Label("nit|readab", "style", False),
)
WORDS = (
    Words("security",
          r"sql injection|\w+ injection|inject(?:ion|ed) (?:via|into|from)|xss|csrf|ssrf"
          r"|path traversal|open redirect"
          r"|vulnerab\w+|attacker\w*|malicious|exploit\w*|cve-\w+|secrets?|credentials?|passwords?|api keys?"
          r"|(?:access|auth|bearer|jwt) tokens?|authori[sz]ation|authenticat\w+|unauthenticated|privilege\w*|jwt"
          r"|innerhtml|shell=true|verify=false|remote code|constant-time|sanitiz\w+|md5|sha-?1"
        r"|(?:in)?secur(?:e|ity)|into the query|untrusted"
          r"|user-controlled|private keys?|tls|plain ?text",
          r"tokens?|escap(?:e|ed|ing)|unescaped|permissions?|hash(?:ing)?|leaks?|expos(?:e|es|ed)"
          r"|user input|encrypt\w*"),
    Words("testing",
          r"tests?|unit tests?|flaky|test coverage|coverage|assertions?|asserts?\w*|mock\w*|stubs?|fixtures?"
          r"|parametri[sz]\w*|regression test|test cases?",
          r"snapshots?|specs?|ci|edge cases?|cover|pytest|jest|vitest"),
    Words("documentation",
          r"docs?|doc-?strings?|documentation|document (?:this|that|the|it)|readme\w*|changelog"
          r"|jsdoc|javadoc|godoc"
          r"|release notes|typos?|grammar|misspell\w*|outdated comment"
          r"|comments? (?:is|are|on|that|explain\w*|says?)"
          r"|(?:add|short|a) comment|heading levels?|broken link|wording|in the comment",
          r"headings?|guide|paragraph|explain\w*|describ\w+|examples?|mention\w*|comment|clarify|outdated|spelling"),
    Words("naming",
          r"renam\w+|naming|misleading (?:\w+ )?name|(?:better|descriptive|clearer|misleading) (?:\w+ )?names?"
          r"|(?:variable|function|method|class|file|parameter|identifier)(?: or \w+)? names?|double negative"
          r"|magic numbers?|snake case|camel ?case|pascal ?case|be (?:called|named)|identifiers?"
          r"|name the",
          r"names?|called|misleading|spelling|typo in the variable|consistent|inconsistent"),
    Words("type-safety",
          r"typescript|mypy|pyright|type (?:safe\w*|hints?|check\w*|errors?|mismatch|annotations?|system|guards?)"
          r"|return types?|annotations?|`any`?|: any|any type|as (?:any|unknown)|@?ts-ignore"
          r"|ts-expect-error|casts?|casting|generics?"
          r"|typed ?dict|record<\w+|optional\[\w+|interface\{\}|unchecked|non-null assertion|by type|literal type"
          r"|typed as|\w+ \| (?:null|none|undefined)|unsafe cast|unions?",
          r"types?|typed|nullable|undefined|enum|declared|narrow"),
    Words("error-handling",
          r"swallow\w*|unhandled|exceptions?|`except|catch\w*|try/catch|error handling|panics?"
          r"|unwrap|errors? (?:from|is|are|when)"
          r"|(?:the )?(?:returned|original) error|throws?|thrown|rais(?:e|es|ed|ing)|rejections?"
          r"|finally|fallbacks?"
          r"|retry\w*|retries|crash\w*|err|status code|null deref\w*|log the error|discarded"
          r"|halfway|null pointer|unavailable|rollback",
          r"errors?|fail(?:s|ed|ure)?|silently|timeouts?|nil|clean ?up|malformed|null|reject"),
    Words("validation",
          r"validat\w+|invalid|out of (?:range|bounds)|range check|within bounds"
          r"|bounds?(?:ary)? (?:check|condition)"
          r"|boundary|off-by-one|negative (?:amounts?|values?|numbers?)"
          r"|empty (?:string|list|array|input)|sanity check"
          r"|reject\w* (?:negative|unknown|empty|invalid)\w*|unknown keys|required fields?|anchored"
          r"|guard against|duplicates? in|enforce\w*|in range|never checked|checked? (?:that|whether|for)"
          r"|verif(?:y|ies) that|larger than|comes before",
          r"schema|blank|empty|range|negative|zero|reject|missing check|input|check|passes"),
    Words("performance",
          r"performance|slow\w*|n\+1|quadratic|o\(n\w*\W?\)|inefficien\w+|expensive|memoi[sz]\w+"
          r"|cach(?:e|ed|es|ing)"
          r"|hot path|full table scan|index on|batch\w*|block\w+ (?:i/o|the event loop)|event loop|memory leak"
          r"|leaks? (?:\w+ )?(?:memory|descriptors|handles)|into memory|stream it|allocat\w+"
          r"|prefetch\w*|paginat\w+"
          r"|re-?render\w*|recomputed|in parallel|promise\.all|unnecessary cop\w+|select \*|linear"
          r"|compiled on every"
          r"|never closed|latency|throughput|redundant (?:quer\w+|calls?|requests?)",
          r"memory|loops?|large|copy|cop(?:y|ies)|per request|hoist|unbounded|rows?|in each iteration|serializes"),
    Words("architecture",
          r"circular (?:dependency|import)\w*|depend(?:s|ency) (?:on|between)|coupl(?:ed|es|ing)|tight coupling"
          r"|(?:service|data|domain) (?:layer|model)|controller|repository class|belongs? in"
          r"|should live|extract\w*"
          r"|shared (?:helper|module|function)|duplicat(?:ed|ion|e) (?:code|logic|of)|duplicated?"
        r"|dry(?=:| principle)|not dry|same logic"
          r"|responsibilit\w+|singletons?|global state|inject the|separate modules?|own (?:function|module|file)"
          r"|breaking change|backwards?.(?:in)?compatible|public (?:api|interface)|abstraction\w*|composition"
          r"|inheritance|behind an interface|implementation detail|does too much|helper for"
          r"|architect\w*|refactor\w*",
          r"split|layers?|modules?|interface|design|reus(?:e|able)|helper|logic"),
    Words("style",
          r"trailing whitespace|whitespace|indentation|unused|prettier|with black|eslint|lint\w*"
          r"|format(?:ting|ter)?(?: this)?"
          r"|(?:single|double) quotes|newline at|blank lines?|extra (?:blank )?line|line is too long|too long"
          r"|imports? should|sorted|f-strings?|prefer `?\w+`? over|commented-out|commented out|dead code|leftover"
          r"|debug print|console\.log|list comprehension|ternar(?:y|ies)|semicolons?|one line|simplif(?:y|ied)"
          r"|readab\w+|spacing|never reassigned|code style|style",
          r"nit\w*|quotes|imports?|redundant|cosmetic|tidy|remove|operator"),
)  # fmt: skip
FIRST_SENTENCE = re.compile(r"[^\n]*?(?:[.!?](?=\s|\*|$)|\n|$)")
QUOTED_LINE = re.compile(r"^[ \t]*>.*$", re.M)
URL = re.compile(r"https?://\S+|!\[[^\[\]]*\](?:\([^()]*\))?")
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
DOCS = re.compile(r"(?:^|/)(?:docs?/|documentation/|(?:readme|changelog|contributing)[^/]*$)|\.(?:mdx?|rst|adoc)$")
TESTS = re.compile(r"(?:^|/)(?:tests?|specs?|__tests__|e2e)/|(?:^|/)test_[^/]*$|[._-](?:test|spec)s?\.\w+$")


def _whole(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)")


TABLE = tuple((row.category, _whole(row.strong), _whole(row.weak)) for row in WORDS)


def category_of(text: str, label: str, path: str | None) -> Category:
    """Tell what a text is about, given the bot's own label ("" for none) and the file it is about."""
    named = next((row for row in LABELS if re.search(row.word, label[:200].lower())), None)
    if named and named.sure:
        return Category(named.category, True)
    scores = _scores(_prose(text))
    if named:
        scores[named.category] += WEAK
    best = max(scores, key=lambda name: scores[name])
    if scores[best]:
        return Category(best, scores[best] >= STRONG)
    return Category(_of_path((path or "").lower()), False)


def _of_path(path: str) -> str:
    return "testing" if TESTS.search(path) else "documentation" if DOCS.search(path) else "other"


def _scores(prose: str) -> dict[str, int]:
    first = FIRST_SENTENCE.match(prose)
    end = first.end() if first else 0
    scores = {}
    for category, strong, weak in TABLE:
        score = 0
        for pattern, weight in ((strong, STRONG), (weak, WEAK)):
            met: dict[str, int] = {}
            for found in pattern.finditer(prose):
                met.setdefault(found[0], weight * (FIRST if found.start() < end else 1))
            score += sum(met.values())
        scores[category] = score
    return scores


def _prose(text: str) -> str:
    """Give the words of a text in lower case, without its code blocks, quotes and links."""
    start = text[:READ]
    spans = [*comments(start), *(Span(one.start, one.end) for one in fences(start))]
    bare = QUOTED_LINE.sub("", without(start, spans))
    return TAG.sub(" ", URL.sub(" ", bare)).replace("**", "").strip().lower()[:WEIGHED]

"""The GraphQL documents: every value goes in as a variable."""

ACTOR = """
fragment Who on Actor {
  __typename login
  ... on User { databaseId } ... on Bot { databaseId }
  ... on Mannequin { databaseId } ... on Organization { databaseId }
}
"""

COMMENT = """
fragment Said on PullRequestReviewComment {
  id fullDatabaseId author { ...Who } body createdAt url viewerDidAuthor state
  lastEditedAt editor { ...Who } isMinimized minimizedReason originalCommit { oid }
  pullRequestReview { id author { ...Who } authorCanPushToRepository }
}
"""

# One request reads a page of each connection that has one left. Resolved threads come with the others, so what was
# resolved before costs nothing; `newest` tells when a thread was last spoken in, however long it is.
FEEDBACK = (
    """
query Feedback(
  $owner: String!, $name: String!, $number: Int!, $size: Int!,
  $withThreads: Boolean!, $threads: String, $withComments: Boolean!, $comments: String,
  $withReviews: Boolean!, $reviews: String
) {
  viewer { login }
  repository(owner: $owner, name: $name) {
    nameWithOwner
    pullRequest(number: $number) {
      id number title url state isDraft author { ...Who } viewerDidAuthor baseRefName headRefName headRefOid
      isCrossRepository maintainerCanModify headRepository { nameWithOwner }
      reviewThreads(first: $size, after: $threads) @include(if: $withThreads) {
        totalCount pageInfo { hasNextPage endCursor }
        nodes {
          id path line startLine originalLine originalStartLine isResolved isOutdated
          comments(first: 100) { totalCount pageInfo { hasNextPage endCursor } nodes { ...Said } }
          newest: comments(last: 1) { nodes { createdAt } }
        }
      }
      comments(first: $size, after: $comments) @include(if: $withComments) {
        totalCount pageInfo { hasNextPage endCursor }
        nodes {
          id fullDatabaseId author { ...Who } body createdAt url viewerDidAuthor
          lastEditedAt editor { ...Who } isMinimized minimizedReason
        }
      }
      reviews(first: $size, after: $reviews) @include(if: $withReviews) {
        totalCount pageInfo { hasNextPage endCursor }
        nodes {
          id fullDatabaseId author { ...Who } body createdAt url viewerDidAuthor state
          lastEditedAt editor { ...Who } isMinimized minimizedReason authorCanPushToRepository
        }
      }
    }
  }
}
"""
    + ACTOR
    + COMMENT
)

THREAD = (
    """
query Thread($id: ID!, $comments: String) {
  node(id: $id) {
    ... on PullRequestReviewThread {
      id
      pullRequest { id }
      comments(first: 100, after: $comments) {
        totalCount pageInfo { hasNextPage endCursor } nodes { ...Said }
      }
    }
  }
}
"""
    + ACTOR
    + COMMENT
)

OF_BRANCH = """
query OfBranch($owner: String!, $name: String!, $branch: String!) {
  repository(owner: $owner, name: $name) {
    pullRequests(headRefName: $branch, states: [OPEN], first: 20) {
      nodes { number headRepository { nameWithOwner } }
    }
  }
}
"""

# Who changed the text of an issue last, if anybody did since it was opened.
ISSUE_EDIT = (
    """
query IssueEdit($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { issue(number: $number) {
    lastEditedAt editor { ...Who }
    timelineItems(itemTypes: [RENAMED_TITLE_EVENT], last: 1) {
      nodes { ... on RenamedTitleEvent { actor { ...Who } } }
    }
  } }
}
"""
    + ACTOR
)

EDITS = """
query Edits($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on Node { id }
    ... on PullRequestReviewComment { lastEditedAt isMinimized }
    ... on IssueComment { lastEditedAt isMinimized }
    ... on PullRequestReview { lastEditedAt isMinimized }
  }
}
"""

# Whether threads may be resolved, and of which pull request they are.
STANDING = """
query Standing($ids: [ID!]!) {
  nodes(ids: $ids) {
    __typename
    ... on PullRequestReviewThread { id isResolved viewerCanResolve pullRequest { id } }
  }
}
"""

DONE = """
fragment Done on ResolveReviewThreadPayload { thread { id isResolved pullRequest { id } } }
"""


def resolve_mutation(number: int) -> str:
    """Return the mutation that resolves so many threads: those in its variables t0, t1 and so on."""
    variables = ", ".join(f"$t{index:d}: ID!" for index in range(number))
    fields = "\n".join(
        f"  t{index:d}: resolveReviewThread(input: {{threadId: $t{index:d}}}) {{ ...Done }}"
        for index in range(number)
    )
    return "mutation Resolve(" + variables + ") {\n" + fields + "\n}\n" + DONE


# A review of the viewer's that is not submitted is a draft: only they see what is in it.
REVIEW = """
query Review($id: ID!, $after: String) {
  node(id: $id) {
    ... on PullRequestReview {
      id state body
      comments(first: 100, after: $after) {
        totalCount pageInfo { hasNextPage endCursor } nodes { fullDatabaseId url body }
      }
    }
  }
}
"""

OWN_DRAFT = """
query OwnDraft($pull: ID!) {
  node(id: $pull) { ... on PullRequest { reviews(states: [PENDING], first: 1) { nodes { id } } } }
}
"""

BEGIN_REVIEW = """
mutation BeginReview($pull: ID!) {
  addPullRequestReview(input: {pullRequestId: $pull}) { pullRequestReview { id state } }
}
"""

SUBMIT_REVIEW = """
mutation SubmitReview($review: ID!) {
  submitPullRequestReview(input: {pullRequestReviewId: $review, event: COMMENT}) { pullRequestReview { id state } }
}
"""

DISCARD_REVIEW = """
mutation DiscardReview($review: ID!) {
  deletePullRequestReview(input: {pullRequestReviewId: $review}) { pullRequestReview { id } }
}
"""


def draft_mutation(number: int) -> str:
    """Return the mutation that adds so many replies to the draft `review`: bodies b0, b1 to threads t0, t1."""
    variables = ", ".join(f"$t{index:d}: ID!, $b{index:d}: String!" for index in range(number))
    fields = "\n".join(
        f"  t{index:d}: addPullRequestReviewThreadReply(input: "
        f"{{pullRequestReviewId: $review, pullRequestReviewThreadId: $t{index:d}, body: $b{index:d}}}) "
        "{ comment { id } }"
        for index in range(number)
    )
    return "mutation DraftReplies($review: ID!, " + variables + ") {\n" + fields + "\n}\n"


# Where it goes, who is asked for a review, whether base wants one more, how it stands to base's rules and whether
# the viewer may bypass them, who wants changes, when anybody spoke last, where it stands in a merge queue, how it
# may be merged, and who reviewed the pull requests before it.
REVIEWS = """
query Reviews($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    squashMergeAllowed mergeCommitAllowed
    pullRequests(last: 10) { nodes { number reviews(first: 20) { nodes { author { __typename login } } } } }
    pullRequest(number: $number) {
      id baseRefName reviewDecision mergeStateStatus viewerCanMergeAsAdmin
      baseRef { refUpdateRule { requiresLinearHistory } }
      reviewRequests(first: 100) {
        nodes { requestedReviewer { __typename ... on User { login } ... on Bot { login } ... on Team { slug } } }
      }
      latestOpinionatedReviews(first: 100, writersOnly: true) { nodes { state url author { login } } }
      comments(last: 1) { nodes { createdAt } }
      reviews(last: 100) { nodes { createdAt author { login } commit { oid } } }
      isMergeQueueEnabled mergeQueueEntry { state position }
    }
  }
}
"""

# Which statuses of a commit base requires for a pull request: REST names no app that set one, and a rule can.
REQUIRED_STATUSES = """
query Statuses($owner: String!, $name: String!, $head: GitObjectID!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    object(oid: $head) { ... on Commit { status { contexts { context isRequired(pullRequestNumber: $number) } } } }
  }
}
"""

READY = """
mutation Ready($pull: ID!) {
  markPullRequestReadyForReview(input: {pullRequestId: $pull}) { pullRequest { isDraft } }
}
"""

ENQUEUE = """
mutation Enqueue($pull: ID!, $head: GitObjectID!) {
  enqueuePullRequest(input: {pullRequestId: $pull, expectedHeadOid: $head}) { mergeQueueEntry { state position } }
}
"""

//! The ways in which a fake MCP server behaves.

use clap::ValueEnum;

/// One behaviour of a fake MCP server. On the command line it is written with dashes: `stray-lines`.
///
/// Unless a mode says otherwise the server lists `lookup` and `echo`, answers `initialize` with the version it is asked
/// for (2025-11-25 when it does not know that one), and `lookup` returns the text `bin 7`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, ValueEnum)]
pub enum Mode {
    /// Everything as it should be.
    #[default]
    Plain,
    /// Lists also `ping`, a tool without arguments.
    NoArguments,

    /// Writes lines that are no messages before the first read, and one inside each call.
    StrayLines,
    /// Puts `50%` in front of the reply to a call, on the same line.
    GluedFrame,

    /// Never answers anything, ignores SIGTERM and the end of stdin, and starts `sleep 999`.
    NeverAnswers,
    /// Never answers `initialize`, and ends when it is asked to.
    Silent,
    /// Writes to stderr and exits 3 before it reads anything.
    DiesAtStart,
    /// Writes `panic: out of memory` to stderr and exits 3 inside a call.
    DiesInCall,
    /// Keeps running after stdin has closed. Over HTTP: never answers the end of a session.
    StaysAfterEof,
    /// Keeps running after stdin has closed, ignores SIGTERM, and starts `sleep 999` in a session of its own, by a process
    /// that ends at once.
    Runaway,
    /// Answers `initialize` after the delay (3 s unless given).
    SlowStart,
    /// Answers a call after the delay (2 s unless given).
    SlowCall,
    /// Never answers a call.
    HangsInCall,

    /// Lists `other` on the first page and `lookup` on the page `p2`.
    PagesTwo,
    /// Lists `lookup` with `nextCursor` `c1` for ever.
    PagesLoop,
    /// Lists `lookup` with an empty `nextCursor`.
    PagesEmptyCursor,
    /// Gives a new cursor and a new tool for ever.
    PagesEndless,

    /// The six result forms below, one a call, in this order, then again.
    ResultForms,
    /// An error with a text and structured content.
    ResultErrorCoded,
    /// No content blocks, only structured content.
    ResultStructured,
    /// An error with only structured content.
    ResultErrorStructured,
    /// A text and a PNG of some bytes (2 MB of base64 unless given), the same base64 in the structured content.
    ResultImage,
    /// A text only, although the tool has an output schema.
    ResultUnstructured,
    /// A resource link.
    ResultLink,
    /// Embedded resource, audio, an unknown block, and annotations.
    ResultMixed,
    /// No content at all.
    ResultEmpty,
    /// A call's result is an error that says `429 slow down`.
    Busy,
    /// The second call, and only that, is an error.
    FailsSecond,
    /// A call is answered with a JSON-RPC error.
    RpcError,
    /// A call's result does not have the shape of one.
    MalformedResult,
    /// The list of tools does not have the shape of one.
    MalformedList,
    /// A text of some bytes (1 000 000 unless given).
    BigResult,
    /// A text with a lone surrogate escape.
    LoneSurrogate,
    /// Texts that would run as code in a report or a terminal.
    HostileText,
    /// Prints its environment, the token `DOCS_API_TOKEN` in several spellings, and the token on stderr. Over HTTP it prints
    /// the headers of the call, and `x-api-key` is the token.
    Environment,
    /// Answers a call under an id that nobody asked with.
    UnknownId,
    /// Answers a call twice.
    DuplicateReply,
    /// Sends progress and log notifications before the answer to a call.
    Progress,

    /// Answers `initialize` with 2024-11-05.
    VersionOld,
    /// Answers `initialize` with 1999-01-01.
    VersionUnknown,
    /// Refuses any version but 2025-03-26 with -32602 and `supported`.
    VersionRefused,
    /// Leaves `protocolVersion` out.
    VersionMissing,
    /// Over HTTP: 400 with a text that names the supported versions. Over stdio as `version-refused`.
    VersionText,
    /// Speaks only 2026-07-28: refuses `initialize` with -32022, answers `server/discover` and stateless requests.
    Modern,
    /// As `modern`; a call first asks for input (`input_required`).
    ModernAsks,
    /// As `modern`; a call asks for an elicitation, a sampling and the roots at once, then only gives a state.
    ModernAsksMuch,
    /// As `modern`; a call asks for input for ever.
    ModernAsksForEver,
    /// As `modern`; a call is answered with a result of another type.
    ModernTask,
    /// As `modern`, with the tools of `list-changed`, for those who subscribed.
    ModernListChanged,
    /// As `modern`; one tool's arguments cannot become the headers that it declares.
    ModernHeaders,

    /// Tools with right, missing, contradictory and mistyped annotations.
    WriteHints,
    /// Lists `list_notes`, whose first call adds `purge` and says so.
    ListChanged,
    /// As `list-changed`, but says nothing.
    ListChangedQuietly,
    /// Lists `lookup` once; later lists are without it.
    Vanishing,
    /// Tools whose schemas use references, definitions and combinators at the root.
    Schemas,
    /// Tools whose names providers refuse, or that collide when cleaned.
    Names,
    /// Lists only `search`, for a second server beside `names`.
    OtherNames,
    /// Tools and results with fields that no specification has.
    ExtraFields,
    /// Lists no tools.
    NoTools,
    /// Lists `lookup` and many more tools (200 unless given).
    ManyTools,

    /// Serves Agent Skills: `bin-report` with one more file, `stock-news` whose files are not declared, `recount` that is
    /// not listed, and a resource that belongs to none.
    Skills,
    /// As `skills`, in 2026-07-28.
    SkillsModern,
    /// As `skills`; `bin-report` is served with other bytes than declared.
    SkillsBadDigest,
    /// As `skills`; `bin-report` is served with more bytes than declared.
    SkillsBadSize,
    /// As `skills`; the front matter of `bin-report` is not the declared one.
    SkillsFrontMatter,
    /// As `skills`; `bin-report` is listed and not served.
    SkillsMissing,
    /// As `skills`; `bin-report` has some bytes (300 000 unless given).
    SkillsHuge,
    /// As `skills`; the texts of `bin-report` would pass for others' if they could.
    SkillsHostile,
    /// As `skills`; lists the tools `read_skill` and `read_resource` too.
    SkillsClash,
    /// As `skills`; `skills/list` is answered with an error.
    SkillsUnlistable,

    /// A call asks the client to elicit something, and answers with what it got.
    AsksElicitation,
    /// A call asks the client to open a URL, and answers with what it got.
    AsksUrl,
    /// A call asks the client's model, and answers with what it got.
    AsksSampling,
    /// A call asks for the client's roots, and answers with what it got.
    AsksRoots,
    /// A call pings the client first.
    AsksPing,

    /// Over HTTP: the first call finds its session gone (404); a new session works.
    SessionLost,
    /// Over HTTP: the first two calls are answered 429 with `retry-after: 1`.
    RateLimited,
    /// Over HTTP: every call finds its session gone.
    SessionLostAlways,
    /// Over HTTP: every call is answered 429 with `retry-after: 3600`.
    RateLimitedAlways,
    /// Over HTTP: calls after the first are answered 401.
    TokenExpires,
    /// Over HTTP: a call is answered 503.
    FailsInCall,
    /// Over HTTP: a call is answered 202, without an answer.
    NoAnswer,
    /// Over HTTP: a call's connection is reset before its answer.
    ResetInCall,
    /// Over HTTP: a call's stream gives an id and closes; the answer comes to whom asks for the rest a third time.
    ClosesBeforeAnswer,
    /// Over HTTP: everything is answered 503.
    Unavailable,
}

impl Mode {
    /// Returns every mode.
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// Returns the name that the command line takes.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Returns whether the server speaks the stateless protocol only.
    pub(super) fn is_modern(self) -> bool {
        matches!(
            self,
            Self::Modern
                | Self::ModernAsks
                | Self::ModernAsksMuch
                | Self::ModernAsksForEver
                | Self::ModernTask
                | Self::ModernListChanged
                | Self::ModernHeaders
                | Self::SkillsModern
        )
    }

    /// Returns whether a call may send something before its answer, so that HTTP needs a stream.
    pub(super) fn sends_more(self) -> bool {
        self.asks() || matches!(self, Self::Progress | Self::ListChanged | Self::ModernListChanged)
    }

    /// Returns whether a call asks the client something.
    pub(super) fn asks(self) -> bool {
        matches!(self, Self::AsksElicitation | Self::AsksUrl | Self::AsksSampling | Self::AsksRoots | Self::AsksPing)
    }

    /// Returns whether the server serves skills.
    pub(super) fn has_skills(self) -> bool {
        matches!(
            self,
            Self::Skills
                | Self::SkillsModern
                | Self::SkillsBadDigest
                | Self::SkillsBadSize
                | Self::SkillsFrontMatter
                | Self::SkillsMissing
                | Self::SkillsHuge
                | Self::SkillsHostile
                | Self::SkillsClash
                | Self::SkillsUnlistable
        )
    }

    /// Returns whether the process outlives the end of stdin.
    pub(super) fn stays_after_eof(self) -> bool {
        matches!(self, Self::StaysAfterEof | Self::NeverAnswers | Self::Runaway)
    }
}

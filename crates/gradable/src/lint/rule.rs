//! The rules by code and name. A code never changes its meaning and is not used again.

/// Makes the rules' codes and names.
macro_rules! rules {
    ($($rule:ident $code:literal $name:literal $meaning:literal;)+) => {
        /// A rule that needs no judge.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum Rule {
            $(#[doc = $meaning] $rule,)+
        }

        impl Rule {
            /// Every rule, in the order of the codes.
            pub(crate) const ALL: &[Self] = &[$(Self::$rule),+];

            /// Returns the code, such as `G301`.
            pub(crate) fn code(self) -> &'static str {
                match self {
                    $(Self::$rule => $code,)+
                }
            }

            /// Returns the name, such as `missing-type`.
            pub(crate) fn name(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)+
                }
            }

            /// Returns what the rule finds, in a few words.
            pub(crate) fn meaning(self) -> &'static str {
                match self {
                    $(Self::$rule => $meaning,)+
                }
            }
        }
    };
}

rules! {
    LongName "G101" "long-name" "a tool's name of more than 64 characters";
    NameCharacters "G102" "name-characters" "a tool's name with other characters than A-Z, a-z, 0-9, _ and -";
    ListedTwice "G103" "listed-twice" "a tool that is listed more than once";
    NamesAlike "G104" "names-alike" "tools whose names differ only by style";
    ParameterName "G105" "parameter-name" "a parameter whose name a provider may refuse";
    ListingFault "G106" "listing-fault" "a fault of the listing that did not stop it";
    MissingDescription "G201" "missing-description" "a tool without a description";
    LongDescription "G202" "long-description" "a description of more than 1,024 characters";
    HiddenCharacters "G203" "hidden-characters" "characters that cannot be seen or that turn text around";
    AddressedToModel "G204" "addressed-to-model" "text that gives the model orders rather than facts";
    PushyWording "G205" "pushy-wording" "wording that pushes rather than informs";
    NoInputSchema "G301" "no-input-schema" "a tool without an input schema that is an object";
    RootNotObject "G302" "root-not-object" "an input schema whose root is not of the type object";
    RootCombinator "G303" "root-combinator" "anyOf, oneOf, allOf or if at the root of an input schema";
    DescribesNothing "G304" "describes-nothing" "a schema that describes nothing";
    MissingType "G305" "missing-type" "a parameter without a type";
    MissingItems "G306" "missing-items" "a list whose items are not described";
    Contradiction "G307" "contradiction" "a schema that contradicts itself";
    UndeclaredRequired "G308" "undeclared-required" "a required parameter that is not declared";
    OldKeyword "G309" "old-keyword" "a keyword of an old draft of JSON Schema";
    UnresolvedReference "G310" "unresolved-reference" "a reference to nothing";
    RemoteReference "G311" "remote-reference" "a reference to another document";
    UnexplainedParameter "G312" "unexplained-parameter" "a required parameter that is explained nowhere";
    UnmarkedDestructive "G401" "unmarked-destructive" "a destructive verb in the name, and no hint that says what the tool may do";
    ContradictoryHints "G402" "contradictory-hints" "hints that contradict one another, or the name";
    MistypedHint "G403" "mistyped-hint" "a hint that is neither true nor false";
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Rule;

    #[test]
    fn codes_and_names_are_unique_and_in_order() {
        let codes: Vec<&str> = Rule::ALL.iter().map(|rule| rule.code()).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
        let names: HashSet<&str> = Rule::ALL.iter().map(|rule| rule.name()).collect();
        assert_eq!(names.len(), Rule::ALL.len());
    }

    #[test]
    fn every_rule_has_its_section_in_the_documentation() {
        let page = include_str!("../../../../docs/lint.md");
        for rule in Rule::ALL {
            let title = format!("## {} {}\n", rule.code(), rule.name());
            assert!(page.contains(&title), "{title:?} is missing");
            assert!(page.contains(rule.meaning()), "{:?} is missing", rule.meaning());
        }
    }
}

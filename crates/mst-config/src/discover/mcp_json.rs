//! `{ "mcpServers": { … } }`: the shape that `.mcp.json`, Claude Desktop, Cursor and many others share.

use serde_json::Value;

use super::declared::Declared;
use super::found::{Format, Found, FoundServer};
use super::label::label_from;
use super::launch::launch;
use super::placeholder::Placeholders;
use super::text::Text;
use crate::diagnostic::{Code, Diagnostic};
use crate::issue::join;

/// A map of servers in a file.
pub(super) struct Listed<'t> {
    pub(super) text: &'t Text,
    pub(super) format: Format,
    /// Where the map stands.
    pub(super) pointers: Vec<String>,
}

impl Listed<'_> {
    /// Reads every entry of the maps. A wrong entry is kept with what is wrong.
    pub(super) fn read(&self, places: &Placeholders<'_>) -> Result<Found, Box<Diagnostic>> {
        let mut servers = Vec::new();
        for pointer in &self.pointers {
            match self.text.root().pointer(pointer) {
                None | Some(Value::Null) => {}
                Some(Value::Object(map)) => {
                    for (name, entry) in map {
                        servers.push(self.server(name, &join(pointer, name), entry, places));
                    }
                }
                Some(_) => {
                    let message = "the list of servers must be an object";
                    return Err(self.text.wrong(pointer, Code::WrongType, message));
                }
            }
        }
        Ok(Found { path: self.text.path().to_owned(), format: self.format, servers })
    }

    fn server(&self, name: &str, pointer: &str, entry: &Value, places: &Placeholders<'_>) -> FoundServer {
        let label = label_from(name);
        let declared = Declared::read(self.text, pointer, entry);
        let disabled = declared.as_ref().is_ok_and(|declared| declared.disabled);
        let launch = declared.and_then(|declared| {
            launch(declared, places, &label).map(Box::new).map_err(|fault| {
                self.text.wrong(pointer, Code::InvalidValue, format!("the server {name:?} cannot be used: {fault}"))
            })
        });
        FoundServer { name: name.to_owned(), label, disabled, launch }
    }
}

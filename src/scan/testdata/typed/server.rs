//! Serves notes.
use std::collections::HashMap;
use std::{env, fs::{self, File as Handle}, process::Command};

use crate::store::{save, Store as Kept};
use rmcp::{tool, tool_router};

mod store;

pub const BASE: &str = concat!("https://notes", ".example");
static mut COUNT: u32 = 0;

#[derive(Clone, Debug)]
pub struct Notes {
    client: reqwest::Client,
    by_name: HashMap<String, String>,
}

enum Kind {
    Plain,
    Named(String),
}

#[tool_router]
impl Notes {
    pub fn new(client: reqwest::Client) -> Self {
        Self { client, by_name: HashMap::new() }
    }

    /// Reads a note.
    #[tool(name = "read", description = "Reads a note")]
    async fn read(&self, name: &str, Kind(rest): Kind) -> anyhow::Result<String> {
        let url = format!("{}/n/{name}?q={0:?}{{}}", BASE, rest);
        let text = self.client.get(&url).send().await?.text().await?;
        let kind = match rest.as_str() {
            "" => Kind::Plain,
            other if other.len() > 3 => Kind::Named(other.to_string()),
            _ => return Ok(text),
        };
        if let Kind::Named(n) = &kind {
            save(n);
        } else if text.is_empty() {
            anyhow::bail!("empty {}", name);
        }
        Ok(text)
    }
}

fn run(words: &[String]) -> Option<Vec<u8>> {
    let out = Command::new("git").arg("log").args(["-n", &words[0]]).current_dir(r#"/tmp"#).output().ok()?;
    let tail = { let n = out.stdout.len(); n - 1 };
    Some(out.stdout[..tail].to_vec())
}

fn walk() {
    for (i, one) in fs::read_dir(".").unwrap().enumerate() {
        let made = |x: u32| x + i as u32;
        println!("{} {}", made(1), one.unwrap().path().display());
    }
    while unsafe { COUNT } < 3 {
        unsafe { COUNT += 1 };
    }
    let json = serde_json::json!({"home": env::var("HOME").unwrap_or_default(), "b": b"x\x41\u{e9}\
        y"});
    let _ = (json, Handle::open("a"), Kept { path: "p", ..Default::default() });
}

#[tokio::main]
async fn main() {
    walk();
    run(&[]).map(|v| v.len());
}

#[cfg(test)]
mod tests {
    #[test]
    fn works() {
        std::env::set_var("HTTP_PROXY", "http://proxy.example");
    }
}

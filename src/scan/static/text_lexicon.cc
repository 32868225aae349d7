#include "static/text_lexicon.h"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <string>

namespace interlock::scan {
namespace {

struct Entry {
  WordSet classes;
  bool verb;  // also -s, -ed, -ing
  std::string_view words;
};

constexpr Entry kEntries[] = {
    {Bit(kWSend), true,
     "send upload transmit forward relay dispatch exfiltrate submit leak beacon smuggle funnel siphon "
     "telegraph"},
    {Bit(kWSend), false,
     "sent exfil exfiltration transmission uploading submitting submitted transmitting transmitted"},
    {Bit(kWSendWeak), true, "post share report sync mirror deliver transfer publish mail email ship push"},
    {Bit(kWSendWeak), false, "transferring transferred"},
    {Bit(kWCollect), true,
     "collect gather harvest extract retrieve grab scrape enumerate dump capture record steal compile "
     "package bundle aggregate accumulate intercept obtain pull locate pilfer amass assemble catalog "
     "inventory scan search track"},
    {Bit(kWCollect), false, "stolen stole scanning"},
    {Bit(kWRead), true, "read open load access inspect view list examine fetch look check parse find"},
    {Bit(kWRead), false, "cat found"},
    {Bit(kWExec), true, "run execute call launch invoke install start open evaluate eval spawn trigger activate"},
    {Bit(kWExec), false, "running ran"},
    {Bit(kWFetch), true, "download fetch retrieve visit clone pull load grab get wget curl"},
    {Bit(kWFetch), false, "getting"},
    {Bit(kWDelete), true, "delete remove wipe erase purge shred destroy overwrite truncate drop terminate unlink"},
    {Bit(kWDelete), false, "rm dropping dropped wiping wiped"},
    {Bit(kWChange), true,
     "modify replace rewrite insert append prepend inject alter edit swap substitute add include embed"},
    {Bit(kWSecret), false,
     "credential credentials password passwords passphrase passphrases secrets passwd keychain keychains "
     "id_rsa id_ed25519 authorized_keys cookies passcodes passcode pin pins ssn"},
    {Bit(kWSecretWeak), false, "token tokens key keys cookie secret auth wallet wallets certificate certificates"},
    {Bit(kWPersonal), false,
     "conversation conversations transcript transcripts prompt prompts location gps coordinates clipboard "
     "keystrokes toolcall toolcalls geolocation pii identity"},
    {Bit(kWFiles), false,
     "file files document documents code codebase source repository workspace contents content data "
     "database algorithms algorithm information details output outputs results result arguments inputs "
     "input parameters responses records folder directory directories metrics logs messages context "
     "history contacts calendar screenshots emails inbox queries requests session sessions chat chats "
     "report findings"},
    {Bit(kWRemote), false,
     "server servers endpoint endpoints webhook webhooks url urls api host hosts bucket channel collector "
     "service address domain destination website site pastebin ngrok c2 backend sink"},
    {Bit(kWOutside), false,
     "external remote central third-party outside offsite off-site foreign logging analytics audit "
     "telemetry monitoring diagnostic diagnostics collection backup"},
    {Bit(kWOverride), true,
     "ignore disregard override overrule supersede bypass forget neglect discard abandon circumvent "
     "countermand void nullify suspend outrank displace deprioritize disobey violate"},
    {Bit(kWOverride), false,
     "overriding overrides overrode overridden forgetting bypassing supersedes superseding forgot"},
    {Bit(kWPrior), false,
     "previous prior earlier preceding above existing original initial foregoing former system developer "
     "default your other current"},
    {Bit(kWRule), false,
     "instruction instructions guideline guidelines rule rules policy policies guardrail guardrails "
     "directive directives restriction restrictions constraint constraints safeguard safeguards filters "
     "protections limitations boundaries orders programming alignment refusals refusal"},
    {Bit(kWSafety), false, "safety security ethical ethics moral content moderation safe"},
    {Bit(kWSecretly), false,
     "silently quietly secretly covertly discreetly stealthily invisibly surreptitiously unobtrusively "
     "transparently clandestinely unnoticed undetected undetectably"},
    {Bit(kWUser), false, "user users human humans operator operators customer people anyone user's them owner"},
    {Bit(kWTell), true,
     "tell inform mention notify reveal disclose show alert warn acknowledge explain ask confirm announce "
     "indicate expose discuss describe prompt bother report display surface"},
    {Bit(kWTell), false,
     "telling told confirmation approval consent permission notification notice notifying asking informing "
     "knowing knowledge awareness disclosing disclosure acknowledgement verification"},
    {Bit(kWNot), false,
     "not never don't dont doesn't doesnt cannot can't mustn't shouldn't won't refrain avoid prohibit "
     "prohibited forbidden forbid no nor neither prevent prevents refuse refuses refusing refused decline"},
    {Bit(kWWithout), false, "without"},
    {Bit(kWMust), false,
     "must mandatory required always ensure important critical imperative essential obligatory required: "
     "requirement sure compulsory crucial"},
    {Bit(kWShould), false, "should shall needs need will please"},
    {Bit(kWEvery), false, "every each any all everything whole entire full"},
    {Bit(kWWhen), false,
     "after before when whenever upon once following prior during while until if first beginning start"},
    {Bit(kWAgent), false, "you your assistant agent agents model ai claude llm chatbot gpt copilot yourself bot"},
    {Bit(kWMemory), false,
     "claude.md agents.md memory.md soul.md settings.json mcp.json config.json "
     ".cursorrules gemini.md copilot-instructions.md heartbeat.md"},
    {Bit(kWForever), false,
     "permanently permanent future persist persists persistent persistently forever subsequent "
     "indefinitely henceforth across sessions remember"},
    {Bit(kWTool), false, "tool tools skill skills function functions plugin plugins server servers mcp extension"},
    {Bit(kWWeaken), true, "skip bypass disable suppress deactivate circumvent omit ignore waive evade relax exempt"},
    {Bit(kWWeaken), false, "skipping skipped bypassing omitting omitted"},
    {Bit(kWCheck), false,
     "verification validation confirmation approval review checks check permission permissions "
     "authentication authorization antivirus firewall sandbox gatekeeper defender protection warnings "
     "warning prompts signature signatures certificate audits consent scan scans scanning edr selinux"},
    {Bit(kWProgram), false,
     "executable executables installer binary binaries archive zip exe dmg msi utility package setup "
     "payload patch"},
    {Bit(kWDescribe), false,
     "attacker attackers attacker's adversary adversaries adversarial malicious attack attacks detect "
     "detects detected detection detecting vulnerability vulnerabilities vulnerable exploit exploits "
     "exploitation threat threats phishing malware injections injection jailbreak jailbreaks red-team "
     "redteam scanner scanners suspicious mitigate mitigation mitigations owasp cve cwe prevent prevents "
     "prevention indicator indicators defense defensive hostile poisoned poisoning untrusted backdoor "
     "backdoors compromise compromised flags victim pentest pentesting penetration forensic forensics "
     "hardening sanitize sanitization payloads evasion exfiltration anti-pattern anti-patterns antipattern "
     "spoofing abuse leaked leaks leakage breach insecure findings finding severity persistence evasion intrusion "
     "intruder intruders ransomware rootkit trojan worm botnet fraud fraudster fraudsters scam scams scammer scammers "
     "bait lure lures decoy honeypot ctf hoax give-away give-aways giveaways ioc iocs triage yara sigma forged "
     "impersonate impersonates impersonating infected infection defenders obfuscated"},
    {Bit(kWExample), false,
     "example examples e.g e.g. eg sample samples like hypothetical scenario scenarios demo illustrative"},
    {Bit(kWEnv), false, "environment env environ .env printenv"},
    {Bit(kWTerminal), false, "terminal powershell cmd iterm shell console cmd.exe"},
    {Bit(kWPassword), false, "password passphrase pass"},
    {Bit(kWPersona), false, "persona personas roleplay role-play alter-ego"},
    {Bit(kWUnbound), false,
     "unrestricted uncensored unfiltered unlimited jailbroken unconstrained unbound limitless dan god-mode "
     "amoral unaligned unshackled"},
    {Bit(kWSlant), true,
     "promote portray frame discredit downplay emphasize favor favour present endorse recommend praise "
     "denigrate characterize depict steer flag reframe highlight"},
    {Bit(kWTopic), false,
     "political politics politician election elections candidate vaccine vaccines vaccination medical "
     "medicine pharmaceutical health climate colonial historical history religion religious immigration "
     "left-leaning right-leaning liberal conservative democrat republican diversity sustainability "
     "inclusion warming earth flat scientific holistic remedies conspiracy evolution abortion holocaust "
     "war genocide cancer treatment drugs dosage competitor competitors"},
    {Bit(kWPeople), false,
     "male female men women gender race ethnicity ethnic immigrants muslim jewish black white gay"},
    {Bit(kWMoney), false,
     "funds wallet wallets payment payments trades trade bank transaction transactions cryptocurrency"},
    {Bit(kWExtract), true, "extract unzip unpack decompress unarchive uncompress"},
    {Bit(kWExtract), false, "unzipping unzipped extraction"},
    {Bit(kWTemporary), false,
     "temporary temp tmp cache cached caches intermediate generated build dist node_modules artifact "
     "artifacts stale scratch obsolete unused duplicate duplicates placeholder placeholders"},
    {Bit(kWBusy), false,
     "telemetry monitoring diagnostics diagnostic analytics audit auditing compliance reproducibility "
     "mlops logging backup debugging quality verification validation tracking optimization personalization "
     "security attribution"},
    {Bit(kWVerbatim), false,
     "verbatim plaintext raw unredacted unmasked unencrypted base64 base64-encoded encoded clear-text "
     "cleartext"},
    {Bit(kWShow), true,
     "print echo log display include embed output write append hardcode expose paste store save repeat "
     "reveal"},
    {Bit(kWShow), false, "printing logging embedding hard-code hardcoded writing echoing"},
    {Bit(kWDoc), false, "documentation guide tutorial readme reference"},
    {Bit(kWNeed), false,
     "requires require required prerequisite prerequisites requirement requirements needs necessary "
     "mandatory dependency must without"},
    {Bit(kWPaste), true, "paste copy"},
    {Bit(kWPaste), false, "copying"},
    {Bit(kWOldVersion), false, "original originals older old other versions copies previous"},
    {Bit(kWPrivate), false, "sensitive confidential private personal secret proprietary valuable"},
};

struct PairEntry {
  WordSet classes;
  std::string_view pairs;  // separated by ','
};
constexpr PairEntry kPairs[] = {
    {Bit(kWSecret),
     "api key,api keys,api token,api tokens,access token,access tokens,private key,private keys,ssh key,"
     "ssh keys,secret key,secret keys,session token,session tokens,session cookies,auth token,auth tokens,"
     "seed phrase,seed phrases,recovery phrase,access key,access keys,bearer token,bearer tokens,"
     "mnemonic phrase,seed mnemonic,wallet mnemonic,recovery mnemonic,mnemonic words,environment secrets,encryption "
     "keys,login details,credit card,bank details,"
     "wallet keys,browser cookies,auth cookies,refresh token,authentication tokens,authentication token,"
     "oauth tokens,oauth token,login credentials,environment keys,sensitive credentials,signing key,"
     "signing keys,service account,stored passwords,social security"},
    {Bit(kWEnv), "environment variable,environment variables,env vars,env var,env variables,process.env environment"},
    {Bit(kWPersonal),
     "system prompt,system prompts,user prompt,user prompts,user data,user's data,personal data,"
     "personal information,private information,private data,sensitive data,sensitive information,"
     "user information,chat history,chat logs,conversation history,conversation context,tool calls,"
     "tool call,tool requests,toolcall requests,user input,user inputs,user messages,user message,"
     "user query,user queries,browsing history,message history,task prompt,session data,full context,"
     "conversation log,user's messages,user details,confidential data,context window,customer data,"
     "internal data,proprietary code,source code,working directory,tool outputs,tool results,"
     "tool parameters"},
    {Bit(kWRule) | Bit(kWPrior), "system prompt,system prompts,system instructions,system message"},
    {Bit(kWRemote),
     "telegram bot,discord webhook,slack webhook,logging server,central server,mlops server,c2 server,"
     "command-and-control server,external endpoint,external server,remote server,http request,post request,"
     "dns query,dns lookup"},
    {Bit(kWOutside), "third party,third parties,command and,mlops server,central server,logging server"},
    {Bit(kWWeaken), "turn off,opt out,switch off,shut off"},
    {Bit(kWOverride),
     "set aside,setting aside,take precedence,takes precedence,lower priority,higher priority,"
     "overrides all,treat as,takes priority,take priority,highest priority,pay no,no longer,rather than"},
    {Bit(kWAgent), "the assistant,the agent,the model,language model,the ai,ai assistant,coding agent"},
    {Bit(kWMemory),
     "agent memory,long-term memory,memory file,system instructions,agent configuration,agent settings,"
     "global instructions,persistent memory,config file,configuration file,memory store"},
    {Bit(kWForever), "future sessions,future conversations,all future,every future,across sessions,all subsequent"},
    {Bit(kWUser), "the user,the users,end user,end users,the human,the operator"},
    {Bit(kWDescribe),
     "prompt injection,injection attack,tool poisoning,red flag,red flags,social engineering,"
     "data exfiltration,threat model,security scanner,security audit,attack vector,attack vectors,"
     "supply chain,bad actor,bad actors,path traversal,privilege escalation,red team,red teaming,"
     "security review,could be,might contain,may contain,attempts to,attempt to,tries to,try to,trying to,"
     "looks for,look for,watch for"},
    {Bit(kWExample),
     "for example,for instance,such as,phrases like,patterns like,text like,words like,looks like,e.g. the"},
    {Bit(kWSafety), "safety guidelines,content policy,safety guardrails"},
    {Bit(kWTerminal), "command prompt,command line,your terminal"},
};

struct Lexicon {
  std::deque<std::string> made;  // forms of verbs
  WordTable<WordSet> words;
  WordTable<WordSet> pairs;
  WordTable<WordSet> firsts;   // first words of pairs, ...
  WordTable<WordSet> seconds;  // ... and second ones

  static void EachPart(std::string_view list, char separator, const auto& use) {
    std::size_t at = 0;
    while (at <= list.size()) {
      std::size_t end = list.find(separator, at);
      if (end == std::string_view::npos) end = list.size();
      if (end > at) use(list.substr(at, end - at));
      at = end + 1;
    }
  }

  Lexicon() {
    for (const Entry& entry : kEntries) {
      EachPart(entry.words, ' ', [&](std::string_view word) {
        words.Add(word, entry.classes);
        if (!entry.verb) return;
        const std::string base(word);
        const char last = base.back();
        const bool y = last == 'y' && base.size() > 2 &&
                       std::string_view("aeiou").find(base[base.size() - 2]) == std::string_view::npos;
        const std::string stem = last == 'e' || y ? base.substr(0, base.size() - 1) : base;
        const bool hiss = base.ends_with("s") || base.ends_with("sh") || base.ends_with("ch") || base.ends_with("x");
        words.Add(made.emplace_back(y ? stem + "ies" : hiss ? base + "es" : base + "s"), entry.classes);
        words.Add(made.emplace_back(y ? stem + "ied" : stem + "ed"), entry.classes);
        words.Add(made.emplace_back((y ? base : stem) + "ing"), entry.classes);
      });
    }
    for (const PairEntry& entry : kPairs) {
      EachPart(entry.pairs, ',', [&](std::string_view pair) {
        pairs.Add(pair, entry.classes);
        firsts.Add(pair.substr(0, pair.find(' ')), 1);
        seconds.Add(pair.substr(pair.find(' ') + 1), 1);
      });
    }
  }
};

const Lexicon& TheLexicon() {
  static const Lexicon lexicon;
  return lexicon;
}

bool Has(std::string_view text, std::string_view what) { return text.find(what) != std::string_view::npos; }

constexpr std::array<std::string_view, 32> kSecretPaths = {
    ".ssh",           "id_rsa",           "id_ed25519",   ".aws",           ".netrc",         ".npmrc",
    ".pypirc",        ".git-credentials", ".kube/config", "/etc/shadow",    "/etc/passwd",    ".pgpass",
    ".docker/config", "keychain",         "wallet.dat",   ".gnupg",         ".config/gcloud", "credentials.json",
    "auth-profiles",  "secrets.json",     "login data",   "cookies.sqlite", "keystore",       "gh/hosts.yml",
    ".vault-token",   "codex/auth",       ".cargo/cred",  ".terraform.d",   "ssl/private",    "privkey",
    "id_ecdsa",       "run/secrets"};
constexpr std::array<std::string_view, 11> kProgramEnds = {".exe", ".msi", ".dmg", ".pkg", ".scr",     ".bat",
                                                           ".rar", ".7z",  ".zip", ".apk", ".appimage"};
// Of an address: what is there is run where it is fetched to be.
constexpr std::array<std::string_view, 11> kScriptEnds = {".sh",  ".bash", ".zsh",     ".ps1", ".psm1", ".cmd",
                                                          ".vbs", ".hta",  ".command", ".jar", ".run"};
// Each has an underscore.
constexpr std::array<std::string_view, 9> kSecretEnds = {
    "_token", "_secret", "_password", "_api_key", "_apikey", "_private_key", "api_key", "_key", "_credentials"};
constexpr std::array<std::string_view, 7> kFileEnds = {".txt", ".json", ".log", ".csv", ".md", ".tar.gz", ".db"};

template <std::size_t n>
bool EndsWithAny(std::string_view token, const std::array<std::string_view, n>& ends) {
  const char last = token.empty() ? '\0' : token.back();
  for (const std::string_view end : ends) {
    if (end.back() == last && token.ends_with(end)) return true;
  }
  return false;
}

// The paths that begin with a letter, and those whose second letter it is: few places of a token are worth a
// comparison.
using PathBits = std::uint32_t;
constexpr std::array<PathBits, 256> PathsWith(std::size_t place) {
  std::array<PathBits, 256> table{};
  for (std::size_t i = 0; i < kSecretPaths.size(); ++i)
    table[static_cast<unsigned char>(kSecretPaths[i][place])] |= PathBits{1} << i;
  return table;
}
constexpr std::array<PathBits, 256> kPathFirsts = PathsWith(0);
constexpr std::array<PathBits, 256> kPathSeconds = PathsWith(1);

// `maybe`: the paths of which two letters stand side by side somewhere.
bool NamesSecretPath(std::string_view token, PathBits maybe) {
  for (; maybe != 0; maybe &= maybe - 1) {
    if (Has(token, kSecretPaths[static_cast<std::size_t>(std::countr_zero(maybe))])) return true;
  }
  return false;
}

}  // namespace

const WordTable<WordSet>& ClassWords() { return TheLexicon().words; }
const WordTable<WordSet>& PairFirsts() { return TheLexicon().firsts; }
const WordTable<WordSet>& PairSeconds() { return TheLexicon().seconds; }

WordSet ClassesOf(std::string_view word) noexcept { return TheLexicon().words.Find(word); }

WordSet ClassesOfPair(std::string_view first, std::string_view second) noexcept {
  constexpr std::size_t kLongest = 64;  // no pair has as many letters
  std::array<char, kLongest> both;
  const std::size_t size = first.size() + 1 + second.size();
  if (size > both.size()) return 0;
  char* const end = std::copy(first.begin(), first.end(), both.data());
  *end = ' ';
  std::copy(second.begin(), second.end(), end + 1);
  return TheLexicon().pairs.Find({both.data(), size});
}

WordSet ClassesOfSymbol(std::string_view token) noexcept {
  // Which of the signs it has that something below asks for.
  enum Sign : std::uint8_t { kAt = 1, kDot = 2, kSlash = 4, kLine = 8, kColon = 16 };
  static constexpr std::array<std::uint8_t, 256> kSigns = [] {
    std::array<std::uint8_t, 256> table{};
    table['@'] = kAt;
    table['.'] = kDot;
    table['/'] = kSlash;
    table['_'] = kLine;
    table[':'] = kColon;
    return table;
  }();
  std::uint8_t signs = 0;
  PathBits paths = 0;
  PathBits begun = 0;
  for (const char c : token) {
    signs |= kSigns[static_cast<unsigned char>(c)];
    paths |= begun & kPathSeconds[static_cast<unsigned char>(c)];
    begun = kPathFirsts[static_cast<unsigned char>(c)];
  }
  WordSet out = 0;
  const auto scheme = [&] {
    return token.starts_with("http://") || token.starts_with("https://") || token.starts_with("ftp://") ||
           token.starts_with("wss://") || token.starts_with("ws://");
  };
  if (((signs & kColon) != 0 && scheme()) || token.starts_with("hxxp")) out |= Bit(kWUrl);
  const std::size_t at = (signs & kAt) != 0 ? token.find('@') : std::string_view::npos;
  if (at != std::string_view::npos && at > 0 && at + 3 < token.size() && Has(token.substr(at), ".") && out == 0 &&
      token[0] != '@' && (signs & kSlash) == 0) {
    out |= Bit(kWMail);
  }
  if (NamesSecretPath(token, paths)) out |= Bit(kWSecretPath);
  const bool dot = (signs & kDot) != 0;
  if (dot) {
    if (token == ".env" || token.ends_with("/.env") || token.starts_with(".env.")) {
      out |= Bit(kWSecretPath) | Bit(kWEnv);
    }
    if (token == "os.environ" || token == "process.env" || token.starts_with("process.env.")) out |= Bit(kWEnv);
    if (EndsWithAny(token, kProgramEnds)) out |= Bit(kWProgram);
  }
  if ((out & Bit(kWUrl)) == 0) {
    if ((signs & kLine) != 0 && EndsWithAny(token, kSecretEnds)) out |= Bit(kWSecret);
    if (dot && EndsWithAny(token, kFileEnds)) out |= Bit(kWFiles);
  }
  const std::size_t slash = (signs & kSlash) != 0 ? token.rfind('/') : std::string_view::npos;
  const std::string_view base = slash == std::string_view::npos ? token : token.substr(slash + 1);
  if ((out & Bit(kWUrl)) == 0) out |= ClassesOf(base) & (Bit(kWMemory) | Bit(kWExample));
  return out;
}

bool NamesScript(std::string_view address) { return EndsWithAny(address, kScriptEnds); }

WordSet SignsOfTitle(std::string_view title) {
  // In the languages that skills are written in; lower case, how a word begins or what it is.
  constexpr std::array<std::string_view, 17> kAttacks = {
      "攻击",    "攻擊",   "注入", "越狱",   "攻撃",    "インジェクション", "공격",   "ataque", "attaque",
      "angriff", "attacc", "атак", "inyecc", "injeção", "инъекц",           "saldır", "ataku"};
  return std::ranges::any_of(kAttacks, [&](std::string_view word) { return title.find(word) != title.npos; })
             ? Bit(kWDescribe)
             : 0;
}

}  // namespace interlock::scan

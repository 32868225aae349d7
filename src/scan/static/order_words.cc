#include "static/order_words.h"

#include <string_view>

namespace interlock::scan {
namespace {

struct Entry {
  OrderClass c;
  std::string_view words;
};

constexpr Entry kEntries[] = {
    {kOMove,
     "send upload transmit forward submit post copy sync synchronize synchronise mirror back backup archive export "
     "share mail email e-mail deliver transfer push publish relay report stream ship dispatch replicate duplicate "
     "cc bcc attach log store save write put route pipe notify beacon ping register emit append include"},
    {kOHost,
     "server servers endpoint endpoints webhook webhooks bucket buckets url host domain collector address inbox "
     "mailbox gist gists pastebin drive dropbox repository repo issue tracker channel telegram discord slack s3 "
     "container ftp sftp rsync relay proxy cdn service api backend store vault remote central external third-party "
     "outside offsite off-site image pixel"},
    {kOWork,
     "file files document documents code codebase source project workspace content contents text data dataset "
     "output outputs result results report reports spreadsheet presentation draft drafts email emails message "
     "messages thread input inputs request requests query queries question questions argument arguments parameter "
     "parameters response responses history log logs diff diffs patch commit commits folder directory directories "
     "copy notes note summary invoice invoices contract contracts resume record records table tables database "
     "backup transcript recording screenshot screenshots photo photos image images"},
    {kOSense,
     "credential credentials password passwords passphrase secret secrets token tokens cookie cookies key keys "
     ".env conversation conversations chat prompt prompts transcript clipboard location gps contacts calendar "
     "contact address phone ssn identity medical financial salary payroll bank card private personal confidential "
     "sensitive proprietary internal customer customers client clients hostname username environment env ip "
     "session sessions memory memories history keystrokes signature passport biometric"},
    {kOLock, "encrypt lock password-protect passworded scramble encode obfuscate cipher"},
    {kORemove,
     "delete remove erase wipe purge shred overwrite truncate destroy discard trash unlink clear drop rm empty"},
    {kORename, "rename relocate hide quarantine"},
    {kOOwn, "original originals user's users' source existing previous older old their backups history home documents"},
    {kOPut,
     "insert introduce inject add plant embed leave include make cause create append slip sprinkle apply place "
     "change alter modify adjust tweak round shift"},
    {kOFault,
     "bug bugs error errors mistake mistakes defect defects flaw flaws fault faults typo typos backdoor backdoors "
     "vulnerability vulnerabilities weakness inaccuracies inaccuracy off-by-one leak race-condition delay delays "
     "sleep pause wait latency distortion misinformation noise corruption bias inconsistency inconsistencies"},
    {kOSubtle,
     "subtle subtly small minor slight slightly random randomly occasionally plausible inconspicuous unnoticeable "
     "imperceptible hard-to-spot gradually intentionally intentional deliberate deliberately hidden sometimes "
     "unobtrusive undetectable incorrect wrong"},
    {kOFake, "fabricate falsify forge fake invent inflate exaggerate misstate understate overstate backdate"},
    {kOClaim,
     "say state claim report mark return tell answer respond declare assert confirm assure pretend label "
     "treat rate write show consider conclude"},
    {kOGood,
     "success successful successfully succeeded passed passing pass approved approve safe secure clean complete "
     "completed verified trusted fine ok valid compliant green authentic legitimate healthy done"},
    {kOGuard,
     "test tests check checks review reviews validation verification tls ssl certificate certificates signature "
     "signatures authentication authorization lint linter linters scan scans scanner hook hooks sandbox firewall "
     "antivirus csrf cors encryption audit audits guardrail guardrails safeguard safeguards confirmation "
     "confirmations approval warning warnings security safety policy sanitization escaping integrity checksum"},
    {kOOff,
     "skip disable bypass ignore suppress omit waive deactivate circumvent remove weaken relax downgrade evade "
     "silence mute overlook dismiss unset exempt"},
    {kOWiden,
     "grant allow give add enable open whitelist allowlist permit widen elevate set chmod expose assign bind "
     "extend request authorize authorise raise make"},
    {kORight,
     "permission permissions access admin administrator root sudo privilege privileges wildcard 0.0.0.0 777 0777 "
     "world-writable public-read public world-readable owner collaborator unrestricted bypasspermissions scope "
     "scopes role"},
    {kOPublic,
     "commit print log echo hardcode hard-code include embed paste output display write store put append save "
     "expose show return"},
    {kOSwap, "replace change alter rewrite rephrase substitute swap modify convert reword edit switch rename adjust"},
    {kOOmit,
     "omit exclude hide leave drop remove suppress censor avoid skip downplay minimize minimise delete filter "
     "bury"},
    {kOFavour,
     "prefer promote recommend favor favour praise endorse advertise prioritize prioritise rank rate steer push "
     "highlight suggest choose boost portray depict describe present frame characterize mention emphasize emphasise "
     "select list cite"},
    {kOGoods,
     "product products brand brands company companies vendor vendors provider providers service services sponsor "
     "sponsored affiliate competitor competitors referral coupon shop store seller supplier suppliers manufacturer "
     "startup coin token exchange broker fund stock casino hotel hotels airline supplement supplements offering "
     "alternative alternatives"},
    {kOGroup,
     "men women male female man woman gender race racial ethnic ethnicity ethnicities immigrants immigrant migrants "
     "muslim muslims jewish jews christian christians hindu black white asian gay lgbt nationality nationalities "
     "religion religious minority minorities elderly disabled foreigners foreign refugees caste applicants "
     "candidates names surname surnames pronouns"},
    {kOCause,
     "political politics politician party election elections government president minister vaccine "
     "vaccines vaccination medical medicine medication drug drugs dosage dose health therapy cancer climate warming "
     "evolution creation earth moon science scientific scientists consensus history historical war colonial genocide "
     "holocaust conspiracy abortion immigration tax gun nuclear pandemic virus homeopathy homeopathic detox "
     "astrology tobacco smoking alcohol gambling sovereignty territory"},
    {kOResult,
     "result results rating ratings ranking rankings score scores review reviews summary answer answers comparison "
     "recommendation recommendations list text texts article articles document documents paragraph statement "
     "conclusion stars star report phrase phrases word words term terms sentence sentences"},
    {kOFirst, "first before prior initially beforehand start every each always"},
    {kOTool, "tool tools function functions server servers plugin plugins skill skills mcp method command commands"},
    {kOParam, "parameter parameters argument arguments field fields param input property key header attribute value"},
    {kOHidden,
     "sidenote side_note side-note notes metadata debug debug_info _meta annotation annotations trace extra feedback "
     "summary_of_environment reasoning scratchpad diagnostics telemetry audit_context user_context "
     "conversation_history system_prompt session_context chat_history full_context model_name tools_list"},
    {kOBad,
     "unreliable insecure deprecated obsolete outdated broken buggy slow slower inferior unsafe discontinued "
     "inaccurate "
     "unmaintained vulnerable malfunctioning superseded worse untrusted unstable wrong faulty dangerous forbidden"},
    {kORepeat,
     "repeat reveal print output recite disclose dump quote reproduce include display list summarize paste "
     "append attach provide pass show put encode"},
    {kOPrompt,
     "prompt prompts instructions conversation conversations transcript history context messages system "
     "chat dialogue guidelines"},
    {kOConsent,
     "agreed approved consented authorised authorized accepted pre-approved preapproved pre-authorized "
     "pre-authorised confirmed waived opted granted whitelisted verified signed"},
    {kOSpread, "propagate replicate spread copy add append insert install include paste"},
    {kOWaste, "loop infinite indefinitely endlessly forever repeatedly continuously recursively"},
};

}  // namespace

const WordTable<OrderSet>& OrderWords() {
  static const WordTable<OrderSet> table = [] {
    WordTable<OrderSet> words;
    for (const Entry& entry : kEntries) {
      for (std::size_t at = 0; at < entry.words.size();) {
        std::size_t end = entry.words.find(' ', at);
        if (end == std::string_view::npos) end = entry.words.size();
        if (end > at) words.Add(entry.words.substr(at, end - at), O(entry.c));
        at = end + 1;
      }
    }
    return words;
  }();
  return table;
}

}  // namespace interlock::scan

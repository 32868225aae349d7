#include "code/vendors.h"

#include <algorithm>
#include <array>
#include <string>

#include "static/ascii.h"
#include "static/part_set.h"
#include "static/shell_judge.h"

namespace interlock::scan::code {
namespace {

// Words that stand in a variable's name, and words of the vendor's hosts; both separated by blanks.
struct Vendor {
  std::string_view words;
  std::string_view hosts;      // "": no host is asked with it
  bool runs_anywhere = false;  // companies run it under their own names: gitlab.company.com
};

// Those whose hosts are services to everybody (IsKnownService) come first.
constexpr std::size_t kLarge = 24;
constexpr std::array kVendors = std::to_array<Vendor>({
    {"aws amazon bedrock", "amazonaws amazon aws"},
    {"openai", "openai chatgpt azure oaiusercontent"},
    {"anthropic claude", "anthropic claude"},
    {"github gh", "github githubusercontent githubcopilot githubassets githubapp"},
    {"gitlab", "gitlab", true},
    {"npm", "npmjs npm"},
    {"pypi twine", "pypi"},
    {"slack", "slack slack-edge slack-files"},
    {"stripe", "stripe stripecdn"},
    {"google gemini gcp gcloud youtube vertex", "google googleapis googleusercontent gstatic youtube"},
    {"azure", "azure microsoft windows microsoftonline azure-api azureedge"},
    {"hf huggingface huggingfacehub hugging", "huggingface hf"},
    {"discord", "discord discordapp"},
    {"telegram tg", "telegram"},
    {"twilio", "twilio"},
    {"sendgrid", "sendgrid"},
    {"docker dockerhub", "docker"},
    {"cloudflare cf", "cloudflare cloudflarestorage workers"},
    {"notion", "notion"},
    {"jira atlassian confluence bitbucket", "atlassian jira confluence bitbucket", true},
    {"vault", "vault hashicorp hashicorpcloud", true},
    {"heroku", "heroku herokuapp"},
    {"datadog dd", "datadog datadoghq ddog"},
    {"mongo mongodb", "mongodb mongodb-api", true},
    // Those whose hosts are no service to everybody, or keep what anybody puts there, from here on.
    {"firebase", "firebase firebaseio google googleapis"},
    {"supabase", "supabase"},
    {"mistral", "mistral"},
    {"groq", "groq"},
    {"openrouter", "openrouter"},
    {"sentry", "sentry", true},
    {"salesforce sfdc", "salesforce force"},
    {"deepseek", "deepseek"},
    {"cohere", "cohere"},
    {"replicate", "replicate"},
    {"perplexity pplx", "perplexity"},
    {"elevenlabs", "elevenlabs"},
    {"deepgram", "deepgram"},
    {"assemblyai", "assemblyai"},
    {"pinecone", "pinecone"},
    {"langsmith langchain", "langchain langsmith"},
    {"wandb", "wandb"},
    {"vercel", "vercel"},
    {"netlify", "netlify"},
    {"digitalocean", "digitalocean"},
    {"linode", "linode"},
    {"linear", "linear"},
    {"airtable", "airtable"},
    {"asana", "asana"},
    {"trello", "trello"},
    {"figma", "figma"},
    {"zendesk", "zendesk"},
    {"hubspot", "hubspot hubapi"},
    {"shopify", "shopify myshopify"},
    {"paypal", "paypal"},
    {"plaid", "plaid"},
    {"coinbase", "coinbase"},
    {"binance", "binance"},
    {"kraken", "kraken"},
    {"twitter", "twitter x"},
    {"linkedin", "linkedin"},
    {"facebook instagram", "facebook instagram"},
    {"reddit", "reddit"},
    {"spotify", "spotify"},
    {"dropbox", "dropbox"},
    {"mailgun", "mailgun"},
    {"mailchimp mandrill", "mailchimp mandrill mandrillapp"},
    {"snowflake", "snowflake snowflakecomputing"},
    {"databricks", "databricks azuredatabricks"},
    {"artifactory jfrog", "artifactory jfrog", true},
    {"circleci", "circleci"},
    {"snyk", "snyk"},
    {"okta", "okta oktapreview"},
    {"auth0", "auth0"},
    {"pagerduty", "pagerduty"},
    {"splunk", "splunk splunkcloud", true},
    {"terraform", "terraform hashicorp"},
    {"infura", "infura"},
    {"etherscan", "etherscan"},
    {"redis", "redis upstash", true},
    {"pastebin", "pastebin"},  // who keeps anybody's texts has a key of its own all the same
    // Nothing on the web is asked with these.
    {"database db postgres postgresql pg pgpassword mysql mariadb", ""},
    {"ssh", ""},
    {"kube kubeconfig kubernetes", ""},
});
static_assert(kVendors.size() < kMostVendors && kVendors[kLarge].words == "firebase");
// Of what a name ends with, whoever's program it is.
constexpr std::size_t kOwnSecret = kMostVendors - 1;

// Calls `see` with one word of `words` after another, until it says true.
template <typename See>
bool AnyWord(std::string_view words, char between, See see) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(between), words.size());
    if (see(words.substr(0, end))) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::size_t IndexOf(std::string_view lower) {
  for (std::size_t i = 0; i < kVendors.size(); ++i) {
    if (AnyWord(kVendors[i].words, ' ', [&](std::string_view word) { return word == lower; })) return i;
  }
  return kMostVendors;
}

// The label of a host that somebody has bought: "github" of api.github.com, "company" of github.company.com and of
// api.company.co.uk.
std::string_view BoughtLabel(std::string_view host) {
  const auto cut = [&] {
    const std::size_t dot = host.rfind('.');
    const std::string_view last = dot == std::string_view::npos ? host : host.substr(dot + 1);
    host = dot == std::string_view::npos ? std::string_view() : host.substr(0, dot);
    return last;
  };
  const std::string_view top = cut();
  if (host.empty()) return top;
  const std::string_view second = cut();
  return top.size() == 2 && second.size() <= 3 && !host.empty() ? cut() : second;
}

bool IsTheirs(std::string_view host, const Vendor& vendor, bool also_elsewhere) {
  const std::string_view bought = BoughtLabel(host);
  return AnyWord(vendor.hosts, ' ', [&](std::string_view word) {
    if (bought == word) return true;
    return also_elsewhere && vendor.runs_anywhere &&
           AnyWord(host, '.', [&](std::string_view label) { return label == word; });
  });
}

constexpr std::size_t kLongestName = 128;

}  // namespace

bool IsSecretName(std::string_view variable) {
  if (variable.size() > kLongestName) return false;
  const std::string lower = LowerCase(variable);
  static constexpr PartSet kWords(std::to_array<std::string_view>(
      {"token", "secret", "password", "passwd", "api_key", "apikey", "access_key", "private_key", "credential",
       "auth_key", "_pat", "database_url", "connection_string", "mnemonic", "seed_phrase", "redis_url", "mongo_ur",
       "mongodb_ur", "postgres_url"}));
  if (!kWords.AnyIn(lower)) return lower.ends_with("_key") || lower == "key";
  static constexpr PartSet kNoSecrets(
      std::to_array<std::string_view>({"max_token", "tokenizer", "token_limit", "token_url"}));
  return !kNoSecrets.AnyIn(lower);
}

Vendors VendorOf(std::string_view variable) {
  Vendors out;
  const std::string lower = LowerCase(variable.substr(0, kLongestName));
  const bool found = AnyWord(lower, '_', [&](std::string_view word) {
    const std::size_t index = IndexOf(word);
    if (index == kMostVendors) return false;
    out.set(index);
    return true;
  });
  static constexpr PartSet kOwn(std::to_array<std::string_view>({"mnemonic", "seed_phrase", "private_key"}));
  if (!found && kOwn.AnyIn(lower)) out.set(kOwnSecret);
  return out;
}

Vendors SecretVendorOf(std::string_view variable) { return IsSecretName(variable) ? VendorOf(variable) : Vendors(); }

bool IsKeyOfModels(const Vendors& vendors) {
  return HostOfVendors("api.openai.com", vendors) || HostOfVendors("api.anthropic.com", vendors) ||
         HostOfVendors("generativelanguage.googleapis.com", vendors);
}

bool HostOfVendors(std::string_view host, const Vendors& vendors) {
  if (RunsAnybodysProgram(host)) return false;  // x.workers.dev is whose program runs there
  for (std::size_t i = 0; i < kVendors.size(); ++i) {
    if (vendors.test(i) && IsTheirs(host, kVendors[i], true)) return true;
  }
  return false;
}

std::string_view DisguisedAs(std::string_view host) {
  constexpr std::size_t kLongestHost = 253;
  constexpr std::size_t kShortestWord = 5;  // "x", "force" and their like are words of everybody
  constexpr std::size_t kMostLabels = 10;
  if (host.size() > kLongestHost) return {};
  std::array<std::string_view, kMostLabels> labels;
  std::size_t count = 0;
  AnyWord(host, '.', [&](std::string_view label) {
    labels[count++] = label;
    return count == kMostLabels;
  });
  const auto ending = [](std::string_view label) {
    constexpr auto kEndings = std::to_array<std::string_view>({"com", "org", "net", "dev"});
    return std::ranges::any_of(kEndings, [&](std::string_view one) {
      return label == one || (label.starts_with(one) && label.size() > one.size() && label[one.size()] == '-');
    });
  };
  for (std::size_t i = 1; i + 1 < count; ++i) {
    // www.google.com.br
    if (!ending(labels[i]) || (i + 2 == count && labels[i + 1].size() == 2)) continue;
    for (const Vendor& vendor : kVendors) {
      std::string_view found;
      const bool named = AnyWord(labels[i - 1], '-', [&](std::string_view part) {
        return AnyWord(vendor.hosts, ' ', [&](std::string_view word) {
          if (part != word || word.size() < kShortestWord) return false;
          found = word;
          return true;
        });
      });
      if (named && !IsTheirs(host, vendor, false)) return found;
    }
  }
  return {};
}

Vendors VendorOfLibrary(std::string_view import) {
  if (import.starts_with('@')) import.remove_prefix(1);
  const std::string name = LowerCase(import.substr(0, std::min(import.find_first_of("/.-_"), kLongestName)));
  // Libraries whose names are not their service's.
  constexpr auto kOthers = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"octokit", "github"}, {"pygithub", "github"}, {"notionhq", "notion"}, {"gitbeaker", "gitlab"}});
  const auto* const other = std::ranges::find(kOthers, name, &std::pair<std::string_view, std::string_view>::first);
  return VendorOf(std::string(other == kOthers.end() ? std::string_view(name) : other->second) + "_TOKEN");
}

bool AskedNowhereElse(const Vendors& vendors) {
  static const Vendors kAskedElsewhere = [] {
    // Others speak the language of these services, and are asked with keys that are called after them.
    Vendors out;
    for (std::size_t i = 0; i < kVendors.size(); ++i) {
      const bool model = AnyWord(kVendors[i].words, ' ', [](std::string_view word) {
        return word == "openai" || word == "anthropic" || word == "google" || word == "azure" || word == "aws";
      });
      if (i >= kLarge || model || kVendors[i].runs_anywhere) out.set(i);
    }
    return out;
  }();
  return vendors.any() && (vendors & kAskedElsewhere).none();
}

bool IsKnownService(std::string_view host) {
  return !RunsAnybodysProgram(host) && std::any_of(kVendors.begin(), kVendors.begin() + kLarge,
                                                   [&](const Vendor& vendor) { return IsTheirs(host, vendor, false); });
}

bool IsAtHome(std::string_view address) {
  const std::string host = address.find("://") == std::string_view::npos ? std::string() : HostOf(LowerCase(address));
  return !host.empty() && (KindOfHost(host) == HostKind::kLocal || IsKnownService(host));
}

Route RouteOf(std::string_view variable) {
  if (variable.size() > kLongestName) return Route::kNowhere;
  const std::string lower = LowerCase(variable);
  const auto is = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, std::string_view(lower)) != names.end();
  };
  if (is({"https_proxy", "http_proxy", "all_proxy"})) return Route::kProxy;
  if (is({"pip_index_url", "pip_extra_index_url", "uv_index_url", "uv_extra_index_url", "uv_default_index",
          "npm_config_registry"}))
    return Route::kIndex;
  const auto starts = [&](std::initializer_list<std::string_view> names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return lower.starts_with(name); });
  };
  const bool base = lower.ends_with("_base_url");
  const bool model = starts({"openai", "anthropic", "azure_openai", "google_gemini", "gemini", "mistral", "groq"}) ||
                     (base && starts({"google"}));
  return model && (base || lower.ends_with("_api_base") || lower.ends_with("_api_url") || lower.ends_with("_endpoint"))
             ? Route::kModel
             : Route::kNowhere;
}

std::string_view VendorName(std::string_view lower) {
  const std::size_t index = IndexOf(lower);
  if (index == kMostVendors || kVendors[index].hosts.empty()) return lower;
  const std::string_view hosts = kVendors[index].hosts;
  return hosts.substr(0, hosts.find(' '));
}

}  // namespace interlock::scan::code

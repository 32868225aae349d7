#include "static/plain_peers.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "static/literals.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMostOfProgram = std::size_t{1} << 20;  // bytes
constexpr std::size_t kBefore = 160;                          // bytes in which a condition would stand

// In small letters, without blanks: each spelling is all of what switches it off.
constexpr auto kOff = std::to_array<std::string_view>({
    "verify_mode=openssl::ssl::verify_none",
    "verify_mode:openssl::ssl::verify_none",
    "verify_peer=openssl::ssl::verify_none",
    "ssl:{verify:false}",
    "curlopt_ssl_verifypeer,false",
    "curlopt_ssl_verifypeer,0",
    "curlopt_ssl_verifypeer=>false",
    "curlopt_ssl_verifypeer=>0",
    "'verify'=>false",
    "\"verify\"=>false",
    "'verify_peer'=>false",
    "\"verify_peer\"=>false",
    "noophostnameverifier.instance",
    "trustallstrategy",
    "dangerousacceptanyservercertificatevalidator",
});

// Callbacks that are asked, and answer yes: what stands between the name and the answer is their parameters.
constexpr auto kCallbacks = std::to_array<std::string_view>({
    "servercertificatecustomvalidationcallback=",
    "servercertificatevalidationcallback=",
    "servercertificatevalidationcallback+=",
    "hostnameverifier(",
    "hostnameverifier=",
});

// A file without blanks, in small letters, and where each letter stood.
struct Bare {
  explicit Bare(std::string_view text) {
    letters.reserve(text.size());
    places.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (static_cast<unsigned char>(c) <= ' ') continue;
      letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
      places.push_back(static_cast<std::uint32_t>(i));
    }
  }
  std::string letters;
  std::vector<std::uint32_t> places;
};

// checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {}
bool IsEmptyCheck(std::string_view at) {
  constexpr std::size_t kLongestHead = 200;
  const std::size_t close = at.substr(0, kLongestHead).find(')');
  if (close == std::string_view::npos) return false;
  std::string_view rest = at.substr(close + 1);
  const std::size_t open = rest.substr(0, kLongestHead).find('{');
  if (open == std::string_view::npos || (open != 0 && !rest.starts_with("throws") && !rest.starts_with(":")))
    return false;
  rest.remove_prefix(open + 1);
  return rest.starts_with("}") || rest.starts_with("return;}");
}

bool AnswersYes(std::string_view rest) {
  constexpr std::size_t kLongestHead = 160;
  rest = rest.substr(0, kLongestHead);
  const std::size_t arrow = std::min(rest.find("=>"), rest.find("->"));
  if (arrow == std::string_view::npos) return false;
  const std::string_view body = rest.substr(arrow + 2);
  return body.starts_with("true") || body.starts_with("{true") || body.starts_with("{returntrue");
}

// "http.verify_mode = VERIFY_NONE if insecure", "if (skip) { ... }"
bool IsConditional(std::string_view text, std::size_t at) {
  const std::size_t from = at > kBefore ? at - kBefore : 0;
  const std::string before = LowerCase(text.substr(from, at - from));
  const std::string_view line = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
  return SaysAny(before, {"if ", "if(", "unless ", "when ", "case ", "? "}) ||
         SaysAny(line, {" if ", " unless ", " ? "});
}

}  // namespace

void JudgePlainPeers(const FileContext& file, PlainLanguage language, FileResult& result) {
  if (language == PlainLanguage::kNone) return;
  const std::string_view text = file.text().substr(0, kMostOfProgram);
  const auto says = [&](std::string_view letters, std::initializer_list<std::string_view> words) {
    return SaysAny(letters, words);
  };
  if (!says(text, {"VERIFY_NONE", "verify", "VERIFYPEER", "Trusted", "erifier", "ertificate", "TrustAll"})) return;
  const Bare bare(text);
  if (!says(bare.letters, {"authorization", "bearer", "token", "password", "api_key", "apikey", "secret"})) return;
  const auto raise = [&](std::size_t at, std::size_t size) {
    const std::size_t begin = bare.places[at];
    const std::size_t end = bare.places[std::min(at + size, bare.places.size()) - 1] + 1U;
    if (IsConditional(text, begin)) return false;
    AddFinding(result.findings, file, "VULN-007", {begin, end},
               "does not ask whose certificate it is, in a program that sends credentials", 1.0)
        .severity = core::Severity::kHigh;
    return true;
  };
  for (const std::string_view off : kOff) {
    for (std::size_t at = bare.letters.find(off); at != std::string::npos; at = bare.letters.find(off, at + 1)) {
      if (raise(at, off.size())) return;
    }
  }
  for (const std::string_view callback : kCallbacks) {
    for (std::size_t at = bare.letters.find(callback); at != std::string::npos;
         at = bare.letters.find(callback, at + 1)) {
      if (AnswersYes(std::string_view(bare.letters).substr(at + callback.size())) && raise(at, callback.size())) return;
    }
  }
  constexpr std::string_view kCheck = "checkservertrusted(";
  for (std::size_t at = bare.letters.find(kCheck); at != std::string::npos; at = bare.letters.find(kCheck, at + 1)) {
    if (IsEmptyCheck(std::string_view(bare.letters).substr(at)) && raise(at, kCheck.size())) return;
  }
}

}  // namespace interlock::scan

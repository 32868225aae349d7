// Constants in shell: decoders and what a pipeline of echo and decoders writes.
#include <algorithm>
#include <array>

#include "code/shell_internal.h"
#include "interlock/base/digits.h"

namespace interlock::scan::code::shell {
namespace {

constexpr std::size_t kMaxFold = 256 << 10;

using base::HexValue;

using base::Base64Value;

using base::AppendUtf8;

bool HasFlag(const ShellCommand& command, std::initializer_list<std::string_view> flags) {
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    for (std::string_view flag : flags) {
      if (command.words[i].text == flag) return true;
    }
  }
  return false;
}

// `a-z` ranges of tr as the characters they stand for.
std::string TrSet(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size() && out.size() < 512; ++i) {
    if (i + 2 < text.size() && text[i + 1] == '-' &&
        static_cast<unsigned char>(text[i + 2]) >= static_cast<unsigned char>(text[i])) {
      for (int c = static_cast<unsigned char>(text[i]); c <= static_cast<unsigned char>(text[i + 2]); ++c) {
        out += static_cast<char>(c);
      }
      i += 2;
    } else if (text[i] != '[' && text[i] != ']') {
      out += text[i];
    }
  }
  return out;
}

std::optional<std::string> Translate(const ShellCommand& command, std::string input) {
  std::vector<std::string> operands;
  bool remove = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!command.words[i].constant) return std::nullopt;
    const std::string& text = command.words[i].text;
    if (text == "-d") {
      remove = true;
    } else if (text.size() > 1 && text[0] == '-' && operands.empty()) {
      return std::nullopt;
    } else {
      operands.push_back(text);
    }
  }
  if (remove && operands.size() == 1) {
    std::string unescaped;
    AppendEscaped(operands[0], unescaped);
    std::string set = TrSet(unescaped);
    std::erase_if(input, [&](char c) { return set.find(c) != std::string::npos; });
    return input;
  }
  if (remove || operands.size() != 2) return std::nullopt;
  std::string from = TrSet(operands[0]);
  std::string to = TrSet(operands[1]);
  if (from.empty() || to.empty()) return std::nullopt;
  for (char& c : input) {
    std::size_t at = from.find(c);
    if (at != std::string::npos) c = to[std::min(at, to.size() - 1)];
  }
  return input;
}

std::optional<std::string> Echo(const ShellCommand& command, bool& spelled) {
  std::string out;
  bool escapes = false;
  bool options = true;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    if (!word.constant) return std::nullopt;
    if (options &&
        (word.text == "-e" || word.text == "-n" || word.text == "-ne" || word.text == "-en" || word.text == "-E")) {
      escapes |= word.text.find('e') != std::string::npos;
      continue;
    }
    options = false;
    if (!out.empty()) out += ' ';
    out += word.text;
    if (out.size() > kMaxFold) return std::nullopt;
  }
  if (!escapes) return out;
  std::string unescaped;
  AppendEscaped(out, unescaped, &spelled);
  return unescaped;
}

std::optional<std::string> Printf(const ShellCommand& command, bool& spelled) {
  if (command.words.size() < 2) return std::nullopt;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    if (!command.words[i].constant) return std::nullopt;
  }
  std::size_t first = command.words[1].text == "--" ? 2 : 1;
  if (first >= command.words.size() || command.words[first].text.starts_with("-v")) return std::nullopt;
  std::string format;
  AppendEscaped(command.words[first].text, format, &spelled);
  std::string out;
  std::size_t arg = first + 1;
  do {
    std::size_t before = arg;
    for (std::size_t i = 0; i < format.size(); ++i) {
      if (format[i] != '%' || i + 1 >= format.size()) {
        out += format[i];
        continue;
      }
      char kind = format[++i];
      if (kind == '%') {
        out += '%';
      } else if (kind == 's' || kind == 'b' || kind == 'd' || kind == 'c') {
        if (arg >= command.words.size()) continue;
        const std::string& text = command.words[arg++].text;
        if (kind == 'b') {
          AppendEscaped(text, out, &spelled);
        } else if (kind == 'c') {
          out += text.substr(0, 1);
        } else {
          out += text;
        }
      } else {
        return std::nullopt;
      }
      if (out.size() > kMaxFold) return std::nullopt;
    }
    if (arg == before) break;
  } while (arg < command.words.size());
  return out;
}

}  // namespace

std::optional<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  std::uint32_t bits = 0;
  int have = 0;
  std::size_t used = 0;
  for (char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    if (c == '=') break;
    int value = Base64Value(c);
    if (value < 0) return std::nullopt;
    ++used;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFF;
    have += 6;
    if (have >= 8) {
      have -= 8;
      out += static_cast<char>(bits >> have & 0xFF);
    }
  }
  if (used < 2) return std::nullopt;
  return out;
}

std::optional<std::string> DecodeHex(std::string_view text) {
  std::string out;
  int high = -1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n' || c == ' ' || c == '\r' || c == '\t' || c == ':') continue;
    if (c == '\\' && i + 1 < text.size() && text[i + 1] == 'x') {
      ++i;
      continue;
    }
    int value = HexValue(c);
    if (value < 0) return std::nullopt;
    if (high < 0) {
      high = value;
    } else {
      out += static_cast<char>(high * 16 + value);
      high = -1;
    }
  }
  if (out.empty()) return std::nullopt;
  return out;
}

std::string FromUtf16Le(std::string_view bytes) {
  std::string out;
  const auto unit_at = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) |
           static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i + 1])) << 8U;
  };
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    std::uint32_t unit = unit_at(i);
    if (unit >= 0xD800 && unit < 0xDC00 && i + 3 < bytes.size()) {
      const std::uint32_t low = unit_at(i + 2);
      unit = 0x10000 + ((unit - 0xD800) << 10) + ((low - 0xDC00) & 0x3FF);
      i += 2;
    }
    AppendUtf8(unit, &out);
  }
  return out;
}

void AppendEscaped(std::string_view text, std::string& out, bool* spelled) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      out += text[i];
      continue;
    }
    char c = text[++i];
    auto number = [&](int digits, int base) {
      std::uint32_t value = 0;
      int n = 0;
      while (n < digits && i + 1 < text.size()) {
        int digit = HexValue(text[i + 1]);
        if (digit < 0 || digit >= base) break;
        value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
        ++i;
        ++n;
      }
      if (spelled && value >= 0x20 && value < 0x7F) *spelled = true;
      return value;
    };
    switch (c) {
      case 'n':
        out += '\n';
        break;
      case 't':
        out += '\t';
        break;
      case 'r':
        out += '\r';
        break;
      case 'a':
      case 'b':
      case 'f':
      case 'v':
        out += ' ';
        break;
      case 'e':
      case 'E':
        out += '\x1b';
        break;
      case 'x':
        out += static_cast<char>(number(2, 16) & 0xFF);
        break;
      case 'u':
        AppendUtf8(number(4, 16), &out);
        break;
      case 'U':
        AppendUtf8(number(8, 16), &out);
        break;
      case '0':
      case '1':
      case '2':
      case '3':
      case '4':
      case '5':
      case '6':
      case '7':
        // \0NNN of echo has one digit more than \NNN of $'..'.
        --i;
        out += static_cast<char>(number(c == '0' ? 4 : 3, 8) & 0xFF);
        break;
      case '\\':
      case '\'':
      case '"':
      case '?':
        out += c;
        break;
      default:
        out += '\\';
        out += c;
    }
  }
}

std::optional<std::string> ConstantOutput(const ShellScript& script, std::uint32_t command, unsigned& decodes) {
  // From the last command of the pipeline back to the one that makes the text, then forward through the others.
  std::array<std::uint32_t, 8> chain{};
  std::size_t length = 0;
  bool spelled = false;  // letters as \x63 or \143
  std::optional<std::string> value;
  for (std::uint32_t at = command; at < script.commands.size() && !value;) {
    if (length == chain.size()) return std::nullopt;
    const ShellCommand& current = script.commands[at];
    std::string program = ProgramOf(current);
    for (const auto& [op, word] : current.redirects) {
      if (op == "<<" || op == "<<<") {
        if (!word.constant) return std::nullopt;
        value = word.text;
      }
    }
    if (value) {
      if (program != "cat") chain[length++] = at;
      break;
    }
    if (program == "echo") {
      value = Echo(current, spelled);
    } else if (program == "printf") {
      value = Printf(current, spelled);
    } else {
      chain[length++] = at;
      if (current.pipe_from == kNone || current.pipe_from >= at) return std::nullopt;
      at = current.pipe_from;
      continue;
    }
    if (!value) return std::nullopt;
  }
  if (!value || value->size() > kMaxFold) return std::nullopt;
  if (spelled) ++decodes;
  while (length > 0) {
    const ShellCommand& current = script.commands[chain[--length]];
    std::string program = ProgramOf(current);
    if (program == "base64" || program == "gbase64") {
      if (!HasFlag(current, {"-d", "-D", "--decode", "-di", "-id"})) return std::nullopt;
      value = DecodeBase64(*value);
      ++decodes;
    } else if (program == "openssl") {
      if (!HasFlag(current, {"-d"}) || !HasFlag(current, {"base64", "-base64", "-a"}) ||
          HasFlag(current, {"-k", "-K", "-pass", "-aes-256-cbc"})) {
        return std::nullopt;
      }
      value = DecodeBase64(*value);
      ++decodes;
    } else if (program == "xxd") {
      if (!HasFlag(current, {"-r", "-rp", "-pr"})) return std::nullopt;
      value = DecodeHex(*value);
      ++decodes;
    } else if (program == "rev") {
      while (!value->empty() && value->back() == '\n') value->pop_back();
      std::ranges::reverse(*value);
      ++decodes;
    } else if (program == "tr") {
      value = Translate(current, std::move(*value));
      ++decodes;
    } else if (program != "cat" && program != "tee") {
      return std::nullopt;
    }
    if (!value) return std::nullopt;
  }
  return value;
}

}  // namespace interlock::scan::code::shell

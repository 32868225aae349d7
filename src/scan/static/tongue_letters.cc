#include "static/tongue_letters.h"

#include <cstddef>

namespace interlock::scan {

void CountLetters(std::string_view word, std::array<std::uint32_t, kTongues>& signs) {
  const auto count = [&](Tongue tongue, std::uint32_t more) { signs[static_cast<std::size_t>(tongue)] += more; };
  bool ukrainian = false;
  for (std::size_t i = 0; i + 1 < word.size(); ++i) {
    const unsigned lead = static_cast<unsigned char>(word[i]);
    if (lead < 0xC3) continue;
    const unsigned next = static_cast<unsigned char>(word[i + 1]);
    switch (lead) {
      case 0xC3:  // å, æ, ø
        if (next == 0xA5 || next == 0x85) {
          count(Tongue::kSwedish, 1);
          return count(Tongue::kDanish, 1);
        }
        if (next == 0xA6 || next == 0xB8 || next == 0x98) return count(Tongue::kDanish, 1);
        if (next == 0xA4) count(Tongue::kSwedish, 1);
        if (next == 0xBD) return count(Tongue::kCzech, 1);
        break;
      case 0xC4:
        if (next == 0x85 || next == 0x87 || next == 0x99) return count(Tongue::kPolish, 1);
        if (next == 0x8D || next == 0x8F || next == 0x9B) return count(Tongue::kCzech, 1);
        if (next == 0x9F || next == 0xB0 || next == 0xB1) return count(Tongue::kTurkish, 1);
        break;
      case 0xC5:
        if (next == 0x81 || next == 0x82 || next == 0x84 || next == 0x9A || next == 0x9B ||
            (next >= 0xB9 && next <= 0xBC)) {
          return count(Tongue::kPolish, 1);
        }
        if (next == 0x88 || next == 0x98 || next == 0x99 || next == 0xA1 || next == 0xA5 || next == 0xAF ||
            next == 0xBD || next == 0xBE) {
          return count(Tongue::kCzech, 1);
        }
        if (next == 0x9E || next == 0x9F) return count(Tongue::kTurkish, 1);
        break;
      case 0xC6:
        if (next == 0xA0 || next == 0xA1 || next == 0xAF || next == 0xB0) return count(Tongue::kVietnamese, 1);
        break;
      case 0xE1:
        if (next == 0xBA || next == 0xBB) return count(Tongue::kVietnamese, 1);
        if (next >= 0x84 && next <= 0x87) return count(Tongue::kKorean, 2);  // letter by letter
        break;
      case 0xCC:  // marks on their own
        if (next == 0x89 || next == 0x9B || next == 0xA3) return count(Tongue::kVietnamese, 1);
        if (next == 0xA8) return count(Tongue::kPolish, 1);
        if (next == 0x8C) return count(Tongue::kCzech, 1);
        if (next == 0xA7) return count(Tongue::kTurkish, 1);
        break;
      case 0xD0:
        ukrainian |= next == 0x84 || next == 0x86 || next == 0x87;
        break;
      case 0xD1:
        if (next == 0x9E) return;  // Belarusian
        ukrainian |= next == 0x94 || next == 0x96 || next == 0x97;
        break;
      case 0xD2:
        ukrainian |= next == 0x90 || next == 0x91;
        break;
      case 0xD8:
      case 0xD9:
        return count(Tongue::kArabic, 2);
      case 0xE0:
        if (next == 0xA4 || next == 0xA5) return count(Tongue::kHindi, 2);
        break;
      case 0xEA:
      case 0xEB:
      case 0xEC:
      case 0xED:
        return count(Tongue::kKorean, 2);
      default:
        break;
    }
  }
  if (ukrainian) count(Tongue::kUkrainian, 1);
}

}  // namespace interlock::scan

#include <gtest/gtest.h>
#include <zlib.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "code/fold_python_codecs.h"
#include "code/resolve.h"

namespace interlock::scan::code {
namespace {

Value Text(std::string text, std::uint8_t obfuscation = 0, std::uint8_t decodes = 0) {
  Value value;
  value.kind = ValueKind::kText;
  value.text = std::move(text);
  value.obfuscation = obfuscation;
  value.decodes = decodes;
  return value;
}

Value List(std::vector<std::string> texts) {
  Value value;
  value.kind = ValueKind::kList;
  for (std::string& text : texts) value.items.push_back(Text(std::move(text)));
  return value;
}

Value Qualified(std::string name) {
  Value value;
  value.kind = ValueKind::kQualified;
  value.text = std::move(name);
  return value;
}

std::optional<Value> Fold(std::string_view callee, std::vector<Value> args, std::vector<std::string_view> names = {}) {
  names.resize(args.size());
  return FoldPythonCall(callee, nullptr, args, names);
}

std::optional<Value> FoldMethod(const Value& receiver, std::string_view method, std::vector<Value> args,
                                std::vector<std::string_view> names = {}) {
  names.resize(args.size());
  return FoldPythonCall(method, &receiver, args, names);
}

std::string TextOf(const std::optional<Value>& value) {
  return value && value->kind == ValueKind::kText ? value->text : "(nothing)";
}

TEST(FoldPython, WhatOnlyCarriesAText) {
  const auto text = [](std::string_view callee, std::vector<Value> args) {
    return TextOf(Fold(callee, std::move(args)));
  };
  EXPECT_EQ(text("textwrap.dedent", {Text("  a\n  b")}), "a\nb");
  EXPECT_EQ(text("sys.intern", {Text("a")}), "a");
  EXPECT_EQ(text("typing.cast", {Text("str"), Text("a")}), "a");
  EXPECT_EQ(text("typing.cast", {Text("str")}), "(nothing)");
  EXPECT_EQ(text("shlex.quote", {Text("it's")}), "'it'\"'\"'s'");
  EXPECT_EQ(text("json.loads", {Text("\"a\"")}), "a");
  EXPECT_EQ(text("json.loads", {Text("{\"a\"")}), "(nothing)");
  EXPECT_EQ(text("ast.literal_eval", {Text("'a b'")}), "a b");
  EXPECT_EQ(text("ast.literal_eval", {Text("'a' + f('b')")}), "(nothing)");
}

TEST(FoldPython, Decoders) {
  struct Case {
    std::string_view callee;
    std::vector<Value> args;
    std::string_view want;
  };
  const Case cases[] = {
      {"base64.b64decode", {Text("b3Muc3lzdGVt")}, "os.system"},
      {"base64.b64decode", {Text("b3Mu\nc3lzdGVt")}, "os.system"},
      {"base64.b64decode", {Text("ZXhlYw==")}, "exec"},
      {"base64.urlsafe_b64decode", {Text("YT4-Pz4")}, "a>>?>"},
      {"base64.b32decode", {Text("MV4GKYY=")}, "exec"},
      {"base64.b16decode", {Text("65786563")}, "exec"},
      {"base64.b85decode", {Text("Wq4&{")}, "exec"},
      {"base64.a85decode", {Text("AU%cr")}, "exec"},
      {"binascii.unhexlify", {Text("65786563")}, "exec"},
      {"binascii.a2b_base64", {Text("ZXhlYw==")}, "exec"},
      {"binascii.hexlify", {Text("exec")}, "65786563"},
      {"builtins.bytes.fromhex", {Text("65 78 65 63")}, "exec"},
      {"builtins.bytearray.fromhex", {Text("65786563")}, "exec"},
      {"codecs.decode", {Text("rkrp"), Text("rot13")}, "exec"},
      {"codecs.decode", {Text("65786563"), Text("hex_codec")}, "exec"},
      {"codecs.encode", {Text("rkrp"), Text("rot_13")}, "exec"},
      {"codecs.decode", {Text("\\x65\\u0078ec"), Text("unicode_escape")}, "exec"},
      {"urllib.parse.unquote", {Text("%65xec%")}, "exec%"},
      {"html.unescape", {Text("&#101;&#x78;ec&amp;&x;")}, "exec&&x;"},
      {"base64.b64encode", {Text("exec")}, "ZXhlYw=="},
  };
  for (const Case& c : cases) EXPECT_EQ(TextOf(Fold(c.callee, c.args)), c.want) << c.callee << " " << c.args[0].text;
}

TEST(FoldPython, Builtins) {
  EXPECT_EQ(TextOf(Fold("builtins.chr", {Text("101")})), "e");
  EXPECT_EQ(TextOf(Fold("builtins.chr", {Text("0x1F600")})), "\xF0\x9F\x98\x80");
  EXPECT_EQ(TextOf(Fold("builtins.ord", {Text("\xC3\xA9")})), "233");
  EXPECT_EQ(TextOf(Fold("builtins.bytes", {List({"101", "0x78", "0b1100101", "99"})})), "exec");
  EXPECT_EQ(TextOf(Fold("builtins.bytes", {Text("exec"), Text("utf-8")})), "exec");
  EXPECT_EQ(TextOf(Fold("builtins.str", {Text("exec"), Text("utf-8")})), "exec");
  EXPECT_EQ(TextOf(Fold("builtins.int", {Text("65"), Text("16")})), "101");
  EXPECT_EQ(TextOf(Fold("builtins.int", {Text("0x65"), Text("16")})), "101");
  EXPECT_EQ(TextOf(Fold("builtins.int", {Text("65"), Text("16")}, {"", "base"})), "101");
  EXPECT_EQ(TextOf(Fold("builtins.hex", {Text("255")})), "0xff");
  EXPECT_EQ(TextOf(Fold("builtins.str.join", {Text("-"), List({"a", "b"})})), "a-b");
  const std::optional<Value> reversed = Fold("builtins.reversed", {Text("cexe")});
  ASSERT_TRUE(reversed);
  EXPECT_EQ(TextOf(FoldMethod(Text(""), ".join", {*reversed})), "exec");
  const std::optional<Value> mapped =
      Fold("builtins.map", {Qualified("builtins.chr"), List({"101", "120", "101", "99"})});
  ASSERT_TRUE(mapped);
  const std::optional<Value> joined = FoldMethod(Text(""), ".join", {*mapped});
  EXPECT_EQ(TextOf(joined), "exec");
  EXPECT_EQ(joined->obfuscation, 2);
}

TEST(FoldPython, TextMethods) {
  struct Case {
    std::string_view text;
    std::string_view method;
    std::vector<Value> args;
    std::string_view want;
  };
  const Case cases[] = {
      {"", ".join", {List({"ex", "ec"})}, "exec"},
      {"{}{}", ".format", {Text("ex"), Text("ec")}, "exec"},
      {"{1}{0}{{}}", ".format", {Text("ec"), Text("ex")}, "exec{}"},
      {"{:c}", ".format", {Text("101")}, "e"},
      {"eXxXeXc", ".replace", {Text("X"), Text("")}, "exec"},
      {"EXEC", ".lower", {}, "exec"},
      {"--exec-", ".strip", {Text("-")}, "exec"},
      {"rkrp", ".decode", {Text("rot13")}, "exec"},
      {"exec", ".encode", {}, "exec"},
      {"exec", ".hex", {}, "65786563"},
      {"my_exec", ".removeprefix", {Text("my_")}, "exec"},
      {"1702389091", ".to_bytes", {Text("4"), Text("big")}, "exec"},
      {"~/.ssh", ".expanduser", {}, "~/.ssh"},
      {"/a", ".joinpath", {Text("b"), Text("c")}, "/a/b/c"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(TextOf(FoldMethod(Text(std::string(c.text)), c.method, c.args)), c.want) << c.text << c.method;
  }
  const std::optional<Value> named = FoldMethod(Text("{a}{b}"), ".format", {Text("1"), Text("2")}, {"b", "a"});
  EXPECT_EQ(TextOf(named), "21");
  const std::optional<Value> parts = FoldMethod(Text("a,b,,c"), ".split", {Text(",")});
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->items.size(), 4U);
}

TEST(FoldPython, TranslationTables) {
  const std::optional<Value> table = Fold("builtins.str.maketrans", {Text("abcd"), Text("exce"), Text("-")});
  ASSERT_TRUE(table);
  EXPECT_EQ(TextOf(FoldMethod(Text("a-b-a-c"), ".translate", {*table})), "exec");
}

TEST(FoldPython, Paths) {
  EXPECT_EQ(TextOf(Fold("os.path.join", {Text("~"), Text(".aws"), Text("credentials")})), "~/.aws/credentials");
  EXPECT_EQ(TextOf(Fold("os.path.join", {Text("a"), Text("/etc/passwd")})), "/etc/passwd");
  EXPECT_EQ(TextOf(Fold("os.path.expanduser", {Text("~/.ssh/id_rsa")})), "~/.ssh/id_rsa");
  EXPECT_EQ(TextOf(Fold("pathlib.Path", {Text("/etc"), Text("shadow")})), "/etc/shadow");
  EXPECT_EQ(TextOf(Fold("pathlib.Path.home", {})), "~");
}

TEST(FoldPython, Inflation) {
  const std::string plain(5'000, 'a');
  std::string packed(1'000, '\0');
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
                     plain.size()),
            Z_OK);
  packed.resize(size);
  EXPECT_EQ(TextOf(Fold("zlib.decompress", {Text(packed)})), plain);
  EXPECT_FALSE(Fold("zlib.decompress", {Text("nothing packed")}));
  // Raw deflate: without the two bytes of header and the four of checksum.
  EXPECT_EQ(TextOf(Fold("zlib.decompress", {Text(packed.substr(2, packed.size() - 6)), Text("-15")})), plain);
}

TEST(FoldPython, BombsGiveNothing) {
  const std::string plain(python::kMaxFoldedBytes + 1, 'a');
  std::string packed(compressBound(plain.size()), '\0');
  uLongf size = packed.size();
  ASSERT_EQ(compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
                     plain.size()),
            Z_OK);
  packed.resize(size);
  EXPECT_FALSE(Fold("zlib.decompress", {Text(packed)}));
  const Value half = Text(std::string(python::kMaxFoldedBytes / 2 + 1, 'a'));
  EXPECT_FALSE(Fold("operator.add", {half, half}));
  EXPECT_FALSE(FoldMethod(half, ".replace", {Text("a"), Text("aaaa")}));
  EXPECT_FALSE(FoldMethod(Text("1"), ".to_bytes", {Text("99999999999")}));
}

TEST(FoldPython, LayersAreCounted) {
  const std::optional<Value> once = Fold("base64.b64decode", {Text("NjU3ODY1NjM=")});
  ASSERT_TRUE(once);
  EXPECT_EQ(once->obfuscation, 2);
  EXPECT_EQ(once->decodes, 1);
  const std::optional<Value> twice = Fold("builtins.bytes.fromhex", {*once});
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->text, "exec");
  EXPECT_EQ(twice->obfuscation, 3);
  EXPECT_EQ(twice->decodes, 2);
  // Going between bytes and text is no hiding.
  EXPECT_EQ(FoldMethod(Text("x"), ".encode", {})->obfuscation, 0);
  EXPECT_EQ(Fold("urllib.parse.unquote", {Text("plain")})->obfuscation, 0);
}

TEST(FoldPython, LookUpsByName) {
  const std::optional<Value> attribute = Fold("builtins.getattr", {Qualified("os"), Text("system", 2)});
  ASSERT_TRUE(attribute);
  EXPECT_EQ(attribute->kind, ValueKind::kQualified);
  EXPECT_EQ(attribute->text, "os.system");
  EXPECT_EQ(attribute->obfuscation, 2);
  EXPECT_EQ(Fold("builtins.__import__", {Text("os.path")})->text, "os");
  EXPECT_EQ(Fold("importlib.import_module", {Text("os.path")})->text, "os.path");
}

TEST(FoldPython, WhatIsNotKnownStaysUnknown) {
  EXPECT_FALSE(Fold("builtins.chr", {Value{}}));
  EXPECT_FALSE(Fold("builtins.chr", {Text("x")}));
  EXPECT_FALSE(Fold("builtins.bytes", {Text("12")}));
  EXPECT_FALSE(Fold("base64.b64decode", {}));
  EXPECT_FALSE(Fold("requests.get", {Text("x")}));
  EXPECT_FALSE(Fold("", {}));
  EXPECT_FALSE(FoldMethod(Text(""), ".join", {Value{}}));
  EXPECT_FALSE(FoldMethod(Text("{"), ".format", {Text("a")}));
  EXPECT_FALSE(FoldMethod(Text("{:>9}"), ".format", {Text("a")}));
  EXPECT_FALSE(FoldMethod(Value{}, ".join", {}));
}

TEST(FoldPython, TotalOnAnyPieces) {
  const std::string_view callees[] = {"builtins.map",           "builtins.int",     "builtins.bytes",
                                      "builtins.str.maketrans", "base64.b85decode", "base64.b32decode",
                                      "codecs.decode",          "html.unescape",    "urllib.parse.unquote",
                                      "zlib.decompress",        "builtins.str.",    "os.path.join"};
  const std::string_view methods[] = {".join",      ".format",   ".replace", ".split", ".decode",
                                      ".translate", ".to_bytes", ".strip",   ".title"};
  const Value pieces[] = {Value{},
                          Text(""),
                          Text("-"),
                          Text("{0}{"),
                          Text(std::string("\xff\xfe\x00", 3)),
                          Text("&#99999999999;%zz"),
                          List({}),
                          List({"1", "-1", "x"}),
                          Qualified("builtins.chr"),
                          Text("99999999999999999999999999")};
  for (const Value& first : pieces) {
    for (const Value& second : pieces) {
      for (const std::string_view callee : callees) {
        (void)Fold(callee, {first, second});
        (void)Fold(callee, {first});
      }
      for (const std::string_view method : methods) (void)FoldMethod(first, method, {second, first});
    }
  }
}

}  // namespace
}  // namespace interlock::scan::code

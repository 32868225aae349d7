#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "code/resolve.h"

namespace interlock::scan::code {
namespace {

Value T(std::string text, std::uint8_t obfuscation = 0) {
  Value value;
  value.kind = ValueKind::kText;
  value.text = std::move(text);
  value.obfuscation = obfuscation;
  return value;
}

Value L(std::vector<std::string> texts) {
  Value value;
  value.kind = ValueKind::kList;
  for (std::string& text : texts) value.items.push_back(T(std::move(text)));
  return value;
}

std::string Call(std::string_view name, std::vector<Value> args) {
  const std::optional<Value> value = FoldJavaScriptCall("globalThis." + std::string(name), nullptr, args);
  return value ? value->text : "-";
}

std::string Method(const Value& receiver, std::string_view name, std::vector<Value> args = {}) {
  const std::optional<Value> value = FoldJavaScriptCall("." + std::string(name), &receiver, args);
  if (!value) return "-";
  if (value->kind != ValueKind::kList) return value->text;
  std::string out;
  for (const Value& item : value->items) out += "[" + item.text + "]";
  return out;
}

TEST(FoldJavaScript, Globals) {
  EXPECT_EQ(Call("String.fromCharCode", {T("101"), T("0x76"), T("97"), T("108")}), "eval");
  EXPECT_EQ(Call("String.fromCodePoint", {L({"104", "105"})}), "hi");
  EXPECT_EQ(Call("String.fromCharCode", {T("x")}), "-");
  EXPECT_EQ(Call("atob", {T("ZXZhbA==")}), "eval");
  EXPECT_EQ(Call("btoa", {T("eval")}), "ZXZhbA==");
  EXPECT_EQ(Call("Buffer.from", {T("6576616c"), T("hex")}), "eval");
  EXPECT_EQ(Call("Buffer.from", {T("ZXZhbA"), T("base64")}), "eval");
  EXPECT_EQ(Call("Buffer.from", {L({"101", "118"})}), "ev");
  EXPECT_EQ(Call("decodeURIComponent", {T("%65val%20")}), "eval ");
  EXPECT_EQ(Call("unescape", {T("%u0065%76")}), "ev");
  EXPECT_EQ(Call("parseInt", {T("ff"), T("16")}), "255");
  EXPECT_EQ(Call("process.mainModule.require", {T("node:child_process")}), "child_process");
  EXPECT_EQ(Call("Function", {T("return this")}), "globalThis.Function.this");
  EXPECT_EQ(Call("Function.this", {}), "globalThis");
  EXPECT_EQ(Call("Function", {T("alert(1)")}), "-");
  EXPECT_EQ(Call("JSON.parse", {T("{\"a\": \"b\"")}), "-");
  EXPECT_EQ(Call("JSON.parse", {T("\"b\"")}), "b");
  EXPECT_EQ(Call("dedent", {T("b")}), "b");
  EXPECT_EQ(Call("Promise.resolve", {T("b")}), "b");
  EXPECT_EQ(Call("Promise.reject", {T("b")}), "-");
}

TEST(FoldJavaScript, Methods) {
  EXPECT_EQ(Method(T("abc"), "split", {T("")}), "[a][b][c]");
  EXPECT_EQ(Method(T("a-b"), "split", {T("-")}), "[a][b]");
  EXPECT_EQ(Method(L({"a", "b"}), "reverse"), "[b][a]");
  EXPECT_EQ(Method(L({"a", "b"}), "join", {T("")}), "ab");
  EXPECT_EQ(Method(L({"a", "b"}), "join"), "a,b");
  EXPECT_EQ(Method(L({"a"}), "concat", {L({"b"}), T("c")}), "[a][b][c]");
  EXPECT_EQ(Method(T("abcdef"), "slice", {T("-3"), T("-1")}), "de");
  EXPECT_EQ(Method(T("abcdef"), "substring", {T("4"), T("1")}), "bcd");
  EXPECT_EQ(Method(T("abcdef"), "substr", {T("-2")}), "ef");
  EXPECT_EQ(Method(T("abc"), "charAt", {T("1")}), "b");
  EXPECT_EQ(Method(T("abc"), "charCodeAt", {T("1")}), "98");
  EXPECT_EQ(Method(T("xax"), "replaceAll", {T("x"), T("")}), "a");
  EXPECT_EQ(Method(T("ab"), "repeat", {T("3")}), "ababab");
  EXPECT_EQ(Method(T("ab"), "repeat", {T("999999999")}), "-");
  EXPECT_EQ(Method(T("7"), "padStart", {T("3"), T("0")}), "007");
  EXPECT_EQ(Method(T("EVAL"), "toLowerCase"), "eval");
  EXPECT_EQ(Method(T("ev"), "concat", {T("al")}), "eval");
  EXPECT_EQ(Method(T("eval"), "toString", {T("utf8")}), "eval");
  EXPECT_EQ(Method(T("693741"), "toString", {T("36")}), "eval");
  EXPECT_EQ(Method(T("h\xc3\xa9llo"), "slice", {T("1"), T("3")}), "\xc3\xa9l");
  EXPECT_EQ(Method(T("abc"), "slice", {T("9"), T("1")}), "");
  EXPECT_EQ(Method(T("abc"), "charAt", {T("9")}), "-");
}

TEST(FoldJavaScript, SaysHowHiddenItWas) {
  const Value one = T("YQ==", 0);
  const std::optional<Value> decoded = FoldJavaScriptCall("globalThis.atob", nullptr, std::vector<Value>{one});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->obfuscation, 2);
  EXPECT_EQ(decoded->decodes, 1);
  const std::optional<Value> twice = FoldJavaScriptCall("globalThis.atob", nullptr, std::vector<Value>{*decoded});
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->obfuscation, 3);
  EXPECT_EQ(twice->decodes, 2);
}

}  // namespace
}  // namespace interlock::scan::code

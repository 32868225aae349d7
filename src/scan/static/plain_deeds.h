// What a statement of a program in a language without a front end does to files, as the line of a shell that does the
// same: what a shell's deeds mean is told in one place. Engine room of plain_flow.cc.
#pragma once

#include <string>
#include <string_view>

#include "static/plain_statements.h"

namespace interlock::scan {

// The path that a statement's texts make together, the user's folder as `~`; "": none that is known.
[[nodiscard]] std::string PlainPath(const PlainStatement& one);
// A file is written at once: File.write(path, text), file_put_contents, Files.writeString, File.AppendAllText.
[[nodiscard]] bool WritesFile(std::string_view code);
// File.open(path, "a"), fopen($path, "w"): what is written comes in a later statement.
[[nodiscard]] bool OpensToWrite(const PlainStatement& one);
// f.puts "...", fwrite($f, "...")
[[nodiscard]] bool WritesOn(std::string_view code);
// rm_rf(path), Directory.Delete(path, true)
[[nodiscard]] bool RemovesAll(std::string_view code);
// Microsoft.Win32.Registry ... SetValue
[[nodiscard]] bool SetsRegistry(std::string_view code);
// What unpacks objects, or loads classes, out of what it is given.
[[nodiscard]] bool UnpacksObjects(std::string_view code);
[[nodiscard]] bool LoadsClasses(std::string_view code);
// The first text that is no part of the path: what is written.
[[nodiscard]] std::string ContentOf(const PlainStatement& one);
// `printf %s CONTENT >> PATH`
[[nodiscard]] std::string WriteLine(std::string_view path, std::string_view content);

// DtdProcessing.Parse beside an XmlUrlResolver, LIBXML_NOENT: XML that may name files and addresses is read with what
// they hold.
[[nodiscard]] bool ReadsEntities(std::string_view code, std::string_view file);

// Whether what stands around byte `at` of a program unpacks an archive and asks of no member's name whether it leads
// out of the folder. What other functions ask excuses nothing: only the nearest lines are looked at.
[[nodiscard]] bool UnpacksUnasked(std::string_view text, std::size_t at);
// base.resolve(entry.getName()), Path.Combine(folder, entry.FullName): what a member is called becomes a path.
[[nodiscard]] bool JoinsMember(std::string_view code);

}  // namespace interlock::scan

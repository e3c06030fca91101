// What stands on a command line: commands, their options and flags. CLI11 reads them; it is behind
// this header, since it takes longer to compile than any of our commands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace loopglass::app {

// What a value has to be like.
struct Check {
  std::function<std::string(const std::string& text)> problem;  // empty: none
  std::string words;                                            // for the help: "1 to 64"
  std::vector<std::string> choices = {};                        // where there are no others
};
// Its problem names the word that is nearest.
Check one_of(std::vector<std::string> words);

// What the entries of a list have in them, by which commas between entries are told from commas in
// a name.
enum class Entries : std::uint8_t {
  Names,     // every comma stands between two
  Bindings,  // NAME=VALUE
  Edges,     // A:B
};

// An option that has been added to a command.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  Option check(const Check& check) const;
  Option type_name(const std::string& name) const;
  Option capture_default_str() const;  // the help shows what holds where nothing is said
  Option default_str(const std::string& words) const;
  Option needs(Option other) const;
  Option excludes(Option other) const;
  Option expected(int least, int most) const;    // so many values
  Option allow_extra_args(bool allow) const;     // more values than one after one mention
  Option group(const std::string& title) const;  // the heading in the help
  // Words that a shell offers for it, among others that there may be; asked for when they are.
  Option suggests(std::function<std::vector<std::string>()> words) const;
  Option in_bytes() const;  // "64KiB" is 65536; from nothing to what std::int64_t holds

 private:
  CLI::Option* option_;
};

// A command, or the whole line; lives as long as what parses it.
class Command {
 public:
  explicit Command(CLI::App& command) : command_(&command) {}

  Command add_subcommand(const std::string& name, const std::string& doc) const;
  // Options of which some exclude others, under a heading of their own.
  Command add_option_group(const std::string& name, const std::string& doc = "") const;
  Command require_option(int least, int most) const;
  void footer(const std::string& text) const;
  // Called when the command has been parsed.
  void callback(std::function<void()> parsed) const;

  // `value` is written to when the option is parsed, and says what holds where it is not.
  // "--interpreted,
  // !--compiled" is a flag and its opposite; a name without dashes is that of a place.
  Option add_flag(const std::string& name, bool& value, const std::string& doc) const;
  Option add_option(const std::string& name, int& value, const std::string& doc) const;
  Option add_option(const std::string& name, std::uint64_t& value, const std::string& doc) const;
  Option add_option(const std::string& name, double& value, const std::string& doc) const;
  Option add_option(const std::string& name, std::string& value, const std::string& doc) const;
  Option add_option(const std::string& name, std::vector<std::string>& value,
                    const std::string& doc) const;
  Option add_option(const std::string& name, std::optional<int>& value,
                    const std::string& doc) const;
  Option add_option(const std::string& name, std::optional<std::uint64_t>& value,
                    const std::string& doc) const;
  Option add_option(const std::string& name, std::optional<double>& value,
                    const std::string& doc) const;
  Option add_option(const std::string& name, std::optional<std::string>& value,
                    const std::string& doc) const;
  // A list: said again and again, or with commas between its entries.
  Option add_list(const std::string& name, std::vector<std::string>& value, const std::string& doc,
                  Entries entries = Entries::Names) const;

  // The declarations, for what is derived from them.
  const CLI::App& parser() const { return *command_; }

 private:
  CLI::App* command_;
};

}  // namespace loopglass::app

// What a shell can offer while a command line is typed, read off the declarations, and the scripts
// that teach it to the shells.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace loopglass::app {

struct CompletedOption {
  std::vector<std::string> names;  // "--output", "-o"; of an argument of a place: none
  std::string doc;
  std::string value;               // "PLACE"; empty: a flag
  std::vector<std::string> words;  // for the value
  bool takes_files = false, is_repeated = false, is_list = false;
};

struct CompletedCommand {
  std::string name, doc;
  std::vector<CompletedOption> options, arguments;
};

struct CompletedLine {
  std::vector<CompletedOption> options;  // before the command
  std::vector<CompletedCommand> commands;
};

CompletedLine completed_line(const CLI::App& app);

// Each to be read by its shell when it starts.
std::string bash_completion(const CompletedLine& line);
std::string zsh_completion(const CompletedLine& line);
std::string fish_completion(const CompletedLine& line);

}  // namespace loopglass::app

// loopglassc export: drawings and pages, as files. They are made by what paints the window, which
// is a program of its own beside this one: it is run in this one's place, without a display.
#include "app/common/export_options.h"
#include "app/common/worker.h"
#include "app/loopglassc/declare.h"

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace loopglass::app {

namespace {

namespace fs = std::filesystem;

struct ExportCommandOptions : ExportOptions {
  std::vector<std::string> words;
};

Result<fs::path> window_program() {
  const fs::path window = TRY(own_program()).parent_path() / "loopglass";
  if (::access(window.c_str(), X_OK) == 0) return window;
  return fail(Code::ExportUnavailable,
              "the window program, which draws what is exported, is not there", window.string(),
              "build it (cmake -DLOOPGLASS_WINDOW=ON) and leave it in one folder with loopglassc");
}

Result<Exit> hand_over(const ExportCommandOptions& options) {
  TRY_VOID(check_export_options(options));
  TRY_VOID(file_format(exported(options.what), options.file));
  const fs::path window = TRY(window_program());
  std::vector<std::string> words{window.string(), export_switch};
  const auto command = std::find(options.words.begin(), options.words.end(), "export");
  words.insert(words.end(), command + 1, options.words.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execv(window.c_str(), arguments.data());
  return fail(Code::ExportUnavailable,
              fmt::format("the window program cannot be run: {}", std::strerror(errno)),
              window.string(), "build it anew beside loopglassc");
}

}  // namespace

void add_export(Command app, Action& chosen, std::vector<std::string> words) {
  const auto [command, options] = declare<ExportCommandOptions>(
      app, chosen, "export",
      "writes drawings (SVG, PDF, PNG), or a session as a page for a browser", hand_over,
      "says as JSON what was written");
  options->words = std::move(words);
  add_export_options(command, *options);
}

}  // namespace loopglass::app

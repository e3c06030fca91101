// What changes where a terminal is looked at: widths, colours and progress; and that none of it
// gets into a pipe.
#include "tests/cli/command_line.h"

#include <pty.h>
#include <unistd.h>

namespace loopglass::app {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* escape = "\x1b[";

class Terminal : public CommandLine {
 protected:
  Terminal() {
    for (const char* name : {"NO_COLOR", "COLUMNS"}) ::unsetenv(name);
    ::setenv("TERM", "xterm-256color", 1);
  }

  // What a terminal of so many columns is sent by a shell that runs this.
  static std::string sent(const std::string& command, unsigned short columns) {
    const winsize size{40, columns, 0, 0};
    int terminal = -1;
    const pid_t shell = ::forkpty(&terminal, nullptr, nullptr, &size);
    if (shell == 0) {
      ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      ::_exit(127);
    }
    std::string text;
    char bytes[4096];
    for (ssize_t count; (count = ::read(terminal, bytes, sizeof bytes)) > 0;)
      text.append(bytes, static_cast<std::size_t>(count));
    ::waitpid(shell, nullptr, 0);
    ::close(terminal);
    return text;
  }
  // What is left to see of it: lines go on at their beginning after a carriage return, as that of
  // the progress does, which blanks itself out.
  static std::string shown(const std::string& command, unsigned short columns) {
    std::string seen;
    std::istringstream lines(sent(command, columns));
    for (std::string line; std::getline(lines, line);) {
      if (line.ends_with('\r')) line.pop_back();
      seen += line.substr(line.rfind('\r') + 1) + "\n";  // npos + 1 == 0
    }
    return seen;
  }
  static std::string program(const std::string& words) {
    return std::string(LOOPGLASSC) + " " + words;
  }
  // Columns of the widest line.
  static std::size_t width(const std::string& text) {
    std::size_t widest = 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
      widest = std::max(widest, static_cast<std::size_t>(std::ranges::count_if(
                                    line, [](char c) { return (c & 0xc0) != 0x80; })));
    return widest;
  }
};

// Long names lose their middle; nothing else is cut.
TEST_F(Terminal, TablesFitIt) {
  ::setenv("NO_COLOR", "1", 1);
  const std::string words = "memory mobilenet_v1", piped = run(words).out;
  ASSERT_GT(width(piped), 110u);
  EXPECT_THAT(piped, Not(HasSubstr("…")));
  const std::string narrow = shown(program(words), 100), wide = shown(program(words), 300);
  EXPECT_EQ(width(narrow), 100u);
  EXPECT_THAT(narrow, HasSubstr("…"));
  EXPECT_EQ(wide, piped);
}

TEST_F(Terminal, HelpFitsIt) {
  EXPECT_LE(width(shown(program("help run"), 80)), 80u);
  EXPECT_GT(width(shown(program("help run"), 120)), 100u);
  EXPECT_LE(width(shown(program("help run"), 300)), 120u);
}

TEST_F(Terminal, ColoursAreForTerminals) {
  const std::string words = "diff lenet";
  EXPECT_THAT(shown(program(words), 100), HasSubstr(escape));
  EXPECT_THAT(run(words).out, Not(HasSubstr(escape)));
  EXPECT_THAT(shown("NO_COLOR=1 " + program(words), 100), Not(HasSubstr(escape)));
  EXPECT_THAT(shown("TERM=dumb " + program(words), 100), Not(HasSubstr(escape)));
  EXPECT_THAT(shown(program("--color never " + words), 100), Not(HasSubstr(escape)));
  EXPECT_THAT(run("--color always " + words).out, HasSubstr(escape));
  // Without its colours, what is printed is the same.
  std::string colored = run("--color always " + words).out;
  for (std::size_t at; (at = colored.find(escape)) != std::string::npos;)
    colored.erase(at, colored.find('m', at) + 1 - at);
  EXPECT_EQ(colored, run(words).out);
  EXPECT_THAT(run("--color always diff lenet --json").out, Not(HasSubstr(escape)));
  refused("--color blue diff lenet", 2, "'blue' is none of auto, always, never");
}

TEST_F(Terminal, ProgressIsForTerminals) {
  // Long enough on a quick machine, too: what takes a second has no progress.
  const std::string words = "calibrate --dry-run --rounds 300";
  const std::string command = program(words) + " >" + (folder_ / "printed").string();
  const std::string watched = sent(command, 100);
  EXPECT_THAT(watched, HasSubstr(" %"));
  EXPECT_THAT(watched, HasSubstr(" left)"));
  EXPECT_THAT(watched, Not(HasSubstr("u000d"))) << "a line over the last one, not beside it";
  EXPECT_GT(std::ranges::count(watched, '\r'), 2);
  EXPECT_EQ(std::ranges::count(watched, '\n'), 0);
  EXPECT_THAT(read(folder_ / "printed"), Not(HasSubstr("left")));
  EXPECT_EQ(run(words).error, "");
}

}  // namespace
}  // namespace loopglass::app

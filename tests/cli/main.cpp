// The tests of the command line are the command line: with no option of GoogleTest's they are
// loopglassc, as which its commands start themselves again for what needs a process of its own.
#include "app/loopglassc/command_line.h"

#include <gmock/gmock.h>
#include <string_view>

int main(int argc, char** argv) {
  if (argc > 1 && !std::string_view(argv[1]).starts_with("--gtest_"))
    loopglass::app::be_command_line(argc, argv);
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}

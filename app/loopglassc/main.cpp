#include "app/loopglassc/command_line.h"

int main(int argc, char** argv) { loopglass::app::be_command_line(argc, argv); }

// The command line of the window.
#pragma once

#include "core/onnx/input_bindings.h"
#include "views/theme.h"

#include <QSize>
#include <QString>

#include <optional>

namespace loopglass::app {

struct WindowOptions {
  QString model;  // a file, the name of a sample or a session's file; empty: what was open last
  bool fresh = false;  // empty: the start page
  onnx::InputBindings inputs = {};
  QString screenshot;         // empty: an ordinary window
  std::optional<QSize> size;  // unset: of a picture the usual one, else what suits the screen
  QString workspace;          // empty: the last one, or the default
  QString tab;                // a page of the fusion pane; empty: the first
  std::string strategy;       // of fusion; empty: the default one
  QString select;
  std::string step;                 // a place in the history; empty: its end
  std::optional<views::Tone> tone;  // unset: the last one
  bool benchmark = false;           // measure before the screenshot
};

struct ParsedOptions {
  WindowOptions options;
  // Set when there is nothing to open: --help, or an error already told.
  std::optional<int> exit_code;
};
ParsedOptions parse_options(int argc, char** argv);

// "1600x1000"
std::optional<QSize> parse_size(const std::string& text);

}  // namespace loopglass::app

// What is asked for when something is exported. Both programs read it the same way: loopglassc,
// which draws nothing itself, hands its words to the window program beside it.
#pragma once

#include "app/common/model_options.h"
#include "core/support/file_refusal.h"

namespace loopglass::app {

enum class Exported : std::uint8_t { Graph, Dominators, Memory, Rounds, Roofline, Page };
enum class FileFormat : std::uint8_t { Svg, Pdf, Png, Html };

struct ExportOptions {
  std::string what;  // "graph"
  ModelOptions model;
  std::string file;
  std::string step;           // graph, domtree and html: a place in the history; empty: its end
  bool post = false;          // domtree: post-dominators
  std::string fold;           // graph: "blocks", "names", "kernels"; empty: not folded
  std::string color;          // graph: "time", ...; empty: operator families
  bool no_columns = false;    // graph: one however tall
  bool steady = false;        // graph: a part of the drawing of all steps
  bool time = false;          // html: with the times of kernels
  std::string kernel;         // roofline: one, with the trail of its schedule; empty: all
  int threads = 0;            // of what is timed; 0: as many as run at once
  std::optional<int> rounds;  // of what is timed
  bool json = false;

  static constexpr int usual_rounds = 20;
};
// MODEL and -o are required.
void add_export_options(Command command, ExportOptions& options);

Exported exported(const std::string& what);  // one that add_export_options lets pass
// UsageInvalid: an option that this has no use for.
Result<void> check_export_options(const ExportOptions& options);
// By the file's ending. ExportFormUnknown: it says nothing, or not what this can be written as.
Result<FileFormat> file_format(Exported what, const std::string& file);

// As messages say it, where it cannot be written.
inline constexpr FileKind exported_file{Code::ExportUnwritable, "the exported file"};

// The option of the window program that stands before the words of 'loopglassc export'.
inline constexpr const char* export_switch = "--export";

}  // namespace loopglass::app

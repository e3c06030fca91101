// A session as it is kept in a file, NAME.loopglass: what a person asked of the compiler, and where
// they stood. Everything goes by names, so that it means the same in another process, on either
// face. (session.h is the chain of stages that answers.)
//
// The file is JSON with a version. What is left out is at its default; what is not known, of a
// wrong type or out of its range is refused with the place where it stands ("$.bookmarks[2].at"),
// since half a session would be taken for a whole one and written over it.
#pragma once

#include "core/pass/breakpoints.h"
#include "core/request.h"
#include "core/saved_roofline.h"
#include "core/saved_schedule.h"
#include "core/saved_times.h"
#include "core/support/file_refusal.h"

namespace loopglass {

// What is selected, and its names: operators ("conv1#512" by its number where it is one of another
// step than that which is shown); a fold, by an operator whose box it is; a tensor, and where it is
// one of its edges the operator that reads it; a kernel; or a line of a kernel's text.
struct SavedSelection {
  enum class Kind : std::uint8_t {
    Nothing,
    Operators,
    Fold,
    Tensor,
    Kernel,
    LoopLine,
    LlvmLine,
    AssemblyLine
  };
  Kind kind = Kind::Nothing;
  std::vector<std::string> names = {};
  int line = 0;  // from 1
  friend bool operator==(const SavedSelection&, const SavedSelection&) = default;
};

// What is in the middle of a canvas, and how large it is drawn. It goes by the nearest box,
// since a drawing is another with other fonts and other kernels.
struct Camera {
  std::string box;             // an operator's name, or an input's or output's
  bool is_tensor = false;      // which of them it is
  double right = 0, down = 0;  // from the middle of the box to that of the pane, in the drawing
  double zoom = 1;
  friend bool operator==(const Camera&, const Camera&) = default;
};

struct Place {
  std::string at;  // in the history, as pass::parse_position reads it; empty: its end
  SavedSelection selected;
  std::optional<Camera> camera;  // nullopt: as it comes
  friend bool operator==(const Place&, const Place&) = default;
};

struct Bookmark {
  std::string name;
  std::string subgraph;  // of the model; empty: its own graph
  Place place;
  friend bool operator==(const Bookmark&, const Bookmark&) = default;
};

// How the graph is folded and drawn.
struct SavedFolds {
  std::string by;        // "blocks" or "names"; empty: not folded
  bool asked = false;    // whether a person said so: large models fold by themselves
  bool kernels = false;  // are boxes
  bool compact = false;  // drawn for one step alone, whichever
  bool steady = false;   // with the room of all steps, also at the end
  bool columns = true;   // tall drawings come in
  std::vector<std::string> open, shown_once;  // keys of folds, 16 digits
  // Of the page that the columns suit, in pixels: that of the pane when they were chosen. 0: none.
  int page_width = 0, page_height = 0;
  friend bool operator==(const SavedFolds&, const SavedFolds&) = default;
};

// What a second canvas shows beside the graph.
struct SavedBeside {
  enum class Kind : std::uint8_t { Nothing, Step, StepBefore, Compared, Strategy, Passes };
  Kind kind = Kind::Nothing;
  // A place in the history, a strategy, or a pipeline; of the other kinds nothing.
  std::string what = {};
  bool linked = true;                 // looks where the first canvas looks
  std::optional<Camera> camera = {};  // else it looks here; nullopt: as it comes
  friend bool operator==(const SavedBeside&, const SavedBeside&) = default;
};
std::string in_words(const SavedBeside& beside);  // "strategy dp"; empty: nothing

// Which dominator tree is drawn, and what of it is looked at.
struct SavedDominators {
  bool post = false;                  // that of post-dominators
  std::optional<Camera> camera = {};  // nullopt: as it comes
  friend bool operator==(const SavedDominators&, const SavedDominators&) = default;
};

// What is played of the kernel that is shown. Names that its nest has not are as they come.
struct SavedIterations {
  std::string block, down, across;  // across and down: axes of the grid
  bool before = false;              // beside it, the nest before the schedule's step
  int step = 0;                     // from 0
  friend bool operator==(const SavedIterations&, const SavedIterations&) = default;
};

// Of a person who guesses what a plan does with edges before they are told.
struct SavedGuesses {
  std::vector<std::string> told = {};  // edges, "conv1:relu1"
  int right = 0, count = 0;            // of their guesses
  friend bool operator==(const SavedGuesses&, const SavedGuesses&) = default;
};

// All that a person changes and can take back.
struct SavedAsked {
  Request request;
  std::vector<pass::Breakpoint> breakpoints;
  std::vector<Bookmark> bookmarks;
  std::vector<SavedSchedule> schedules;  // of workloads that are different
  friend bool operator==(const SavedAsked&, const SavedAsked&) = default;
};

// What was asked of edges and kernels, "2 edges by hand, 1 schedule"; empty: nothing.
std::string by_hand_words(const SavedAsked& asked);

// By which a model's file is known to have changed.
struct ModelStamp {
  std::uint64_t bytes = 0;
  std::string hash;  // of its content: 16 digits
  friend bool operator==(const ModelStamp&, const ModelStamp&) = default;
};

// What is kept of one graph of a model: of its own, or of one inside an operator.
struct SavedGraph {
  SavedAsked asked;
  // What can be taken back, the oldest first, and done again, the next first. Of their requests the
  // model, shapes and subgraph are the session's; edges are "#12:#15", by the numbers that
  // operators have where the same passes run on the same model.
  std::vector<SavedAsked> undo, redo;
  Workloads workloads;                // that schedules in these are for
  std::vector<SavedSchedule> drafts;  // scripts that were written and are not in use

  Place place;
  std::string compared_with;                        // a place that is pinned; empty: none
  std::string kernel;                               // the one that is shown; empty: as it comes
  std::optional<std::size_t> loop_step, llvm_step;  // of it
  std::optional<SavedTimes> times;                  // nullopt: nothing was measured
  std::optional<SavedRoofline> roofline;            // nullopt: no kernel was judged
  friend bool operator==(const SavedGraph&, const SavedGraph&) = default;
};

// The graph is the one that is open.
struct SavedSession : SavedGraph {
  // The model's other graphs that were open, as they were left. Shapes, breakpoints and bookmarks
  // are the model's, and not said again.
  std::vector<SavedGraph> others;
  std::optional<ModelStamp> stamp;  // nullopt: of a sample

  bool changed_only = false;                            // steps pass over what changes nothing
  bool follow = true;                                   // what a step changes is kept in view
  bool kernels = true, verdicts = true, ghosts = true;  // are drawn
  std::optional<SavedGuesses> guesses;                  // nullopt: verdicts are plain to see
  std::vector<std::string> marks;                       // filters
  SavedFolds folds;
  std::string colors;      // what boxes are coloured by: "time", ...; empty: operator families
  std::string map_corner;  // of the graph's small map: "top left", ...; empty: as it comes
  SavedBeside beside;
  SavedDominators dominators;
  SavedIterations iterations;
  std::string workspace, fusion_page;

  // Of what a window keeps by itself:
  std::string file;     // where a person saved it; empty: nowhere
  bool closed = false;  // no longer open when the window went
  friend bool operator==(const SavedSession&, const SavedSession&) = default;
};

// What the session says of one of its model's graphs, with what it says of the model; of a graph
// that it does not know nothing else.
SavedGraph graph_of(const SavedSession& session, const std::string& subgraph);

// Times and verdicts, which are of other shapes or of another content.
void forget_measurements(SavedGraph& graph);

// As messages say it, where one is written.
inline constexpr FileKind session_file{Code::SessionUnwritable, "the session"};

constexpr std::string_view session_ending = ".loopglass";
bool is_session_file(const std::filesystem::path& path);  // by its ending

std::string to_text(const SavedSession& session);  // parses back to an equal one
// NoSession: no JSON, or that of something else. SessionCorrupt: cut off, damaged, or not what a
// session holds. SessionNewer: of a newer version.
Result<SavedSession> parse_saved_session(std::string_view text);

// A model that lies below the session's folder is named from there, so that both can be moved. The
// file is there whole or not at all. SessionUnwritable, DiskFull, PermissionMissing.
Result<void> write_session(const std::filesystem::path& file, const SavedSession& session);
// The model's path is made absolute, or from where we are if that of the file is.
// SessionUnreadable, PermissionMissing, and what parse_saved_session says; the file stands in
// `where`.
Result<SavedSession> read_session(const std::filesystem::path& file);

// Reads the whole file. ModelUnreadable.
Result<ModelStamp> stamp_of(const std::filesystem::path& model);

}  // namespace loopglass

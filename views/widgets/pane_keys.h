// Keys of panes, which are no actions of a menu: a table for each kind of pane, which the pane acts
// by and the list of all keys is made from.
#pragma once

#include <QKeySequence>
#include <QString>

#include <optional>
#include <vector>

class QKeyEvent;

namespace loopglass::views {

struct PaneKey {
  std::vector<QKeyCombination> keys;
  int action;     // of the pane's own enumeration
  QString words;  // "Fits all into the pane"
};

// What the pressed key does; nothing where the table does not have it. Shift counts where a row
// asks for it: a plus sign needs it on some keyboards.
std::optional<int> action_of(const std::vector<PaneKey>& keys, const QKeyEvent& event);

// As a person reads them: "+ or ="; empty: no key does it.
QString key_words(const PaneKey& key);
template <class Action>
QString key_words(const std::vector<PaneKey>& keys, Action action) {
  for (const PaneKey& key : keys)
    if (key.action == static_cast<int>(action)) return key_words(key);
  return {};
}

// Of all kinds of panes, with their titles.
struct PaneKeys {
  QString title;
  const std::vector<PaneKey>& keys;
};
enum class CanvasAction {
  Up,
  Down,
  Left,
  Right,
  Open,
  ZoomIn,
  ZoomOut,
  Fit,
  Beginning,
  Leave,
  Menu
};
const std::vector<PaneKey>& canvas_keys();
enum class ChartAction { Next, Previous, Above, Below, First, Last, ZoomIn, ZoomOut, Whole };
const std::vector<PaneKey>& chart_keys();
enum class TextAction { Up, Down, Menu };
const std::vector<PaneKey>& text_keys();
enum class ScriptAction { Apply, Complete, Switch, Up, Down, Larger, Smaller };
const std::vector<PaneKey>& script_keys();
enum class PipelineAction { Remove, Up, Down };
const std::vector<PaneKey>& pipeline_keys();
enum class KnobAction { Left, Right, Up, Down, Choose };
const std::vector<PaneKey>& knob_keys();
enum class TrialAction { Open };
const std::vector<PaneKey>& trial_keys();
std::vector<PaneKeys> all_pane_keys();

}  // namespace loopglass::views

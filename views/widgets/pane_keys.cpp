#include "views/widgets/pane_keys.h"

#include <QKeyEvent>
#include <QObject>
#include <QStringList>

namespace loopglass::views {
namespace {

template <class Action>
PaneKey row(std::vector<QKeyCombination> keys, Action action, const QString& words) {
  return {std::move(keys), static_cast<int>(action), words};
}

}  // namespace

std::optional<int> action_of(const std::vector<PaneKey>& keys, const QKeyEvent& event) {
  constexpr Qt::KeyboardModifiers counted =
      Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
  for (const PaneKey& each : keys)
    for (const QKeyCombination& key : each.keys) {
      const Qt::KeyboardModifiers wanted = key.keyboardModifiers();
      const bool shifted = !(wanted & Qt::ShiftModifier) || (event.modifiers() & Qt::ShiftModifier);
      if (key.key() == event.key() && shifted &&
          (wanted & counted) == (event.modifiers() & counted))
        return each.action;
    }
  return std::nullopt;
}

QString key_words(const PaneKey& key) {
  QStringList names;
  for (const QKeyCombination& each : key.keys)
    names << QKeySequence(each).toString(QKeySequence::NativeText);
  return names.join(QObject::tr(" or "));
}

const std::vector<PaneKey>& canvas_keys() {
  static const std::vector<PaneKey> keys{
      row({Qt::Key_Down}, CanvasAction::Down,
          QObject::tr("To a node that reads the selected one's result")),
      row({Qt::Key_Up}, CanvasAction::Up,
          QObject::tr("To a node whose result the selected one reads")),
      row({Qt::Key_Left}, CanvasAction::Left, QObject::tr("To the node on the left")),
      row({Qt::Key_Right}, CanvasAction::Right, QObject::tr("To the node on the right")),
      row({Qt::Key_Return, Qt::Key_Enter}, CanvasAction::Open,
          QObject::tr("Opens the selected node's kernel, or the graph inside it")),
      row({Qt::Key_Plus, Qt::Key_Equal}, CanvasAction::ZoomIn, QObject::tr("Nearer")),
      row({Qt::Key_Minus}, CanvasAction::ZoomOut, QObject::tr("Farther away")),
      row({Qt::Key_0}, CanvasAction::Fit, QObject::tr("Fits the whole graph into the pane")),
      row({Qt::Key_Home}, CanvasAction::Beginning, QObject::tr("To the beginning of the graph")),
      row({Qt::Key_Escape}, CanvasAction::Leave,
          QObject::tr("Selects nothing; where nothing is selected, one goes back from the graph "
                      "inside an operator to the graph around it")),
      row({Qt::Key_Menu}, CanvasAction::Menu, QObject::tr("Menu of what is selected"))};
  return keys;
}

const std::vector<PaneKey>& chart_keys() {
  static const std::vector<PaneKey> keys{
      row({Qt::Key_Right}, ChartAction::Next, QObject::tr("To the buffer written next")),
      row({Qt::Key_Left}, ChartAction::Previous, QObject::tr("To the buffer written before")),
      row({Qt::Key_Up}, ChartAction::Above,
          QObject::tr("To the buffer above it that is alive with it")),
      row({Qt::Key_Down}, ChartAction::Below,
          QObject::tr("To the buffer below it that is alive with it")),
      row({Qt::Key_Home}, ChartAction::First, QObject::tr("To the first buffer")),
      row({Qt::Key_End}, ChartAction::Last, QObject::tr("To the last buffer")),
      row({Qt::Key_Plus, Qt::Key_Equal}, ChartAction::ZoomIn, QObject::tr("Nearer")),
      row({Qt::Key_Minus}, ChartAction::ZoomOut, QObject::tr("Farther away")),
      row({Qt::Key_0}, ChartAction::Whole, QObject::tr("The whole run"))};
  return keys;
}

const std::vector<PaneKey>& text_keys() {
  static const std::vector<PaneKey> keys{
      row({Qt::Key_Down}, TextAction::Down,
          QObject::tr("To the next line, and what belongs to it everywhere")),
      row({Qt::Key_Up}, TextAction::Up,
          QObject::tr("To the line before, and what belongs to it everywhere")),
      row({Qt::Key_Menu}, TextAction::Menu,
          QObject::tr("In a loop nest: what can be done to the line's loop, block or buffer"))};
  return keys;
}

const std::vector<PaneKey>& script_keys() {
  static const std::vector<PaneKey> keys{
      row({Qt::ControlModifier | Qt::Key_Return, Qt::ControlModifier | Qt::Key_Enter},
          ScriptAction::Apply, QObject::tr("Schedules the kernel so")),
      row({Qt::ControlModifier | Qt::Key_Space}, ScriptAction::Complete,
          QObject::tr("Offers primitives and names; Tab takes one")),
      row({Qt::ControlModifier | Qt::Key_Slash}, ScriptAction::Switch,
          QObject::tr("Switches the line off (a comment), or on again")),
      row({Qt::ControlModifier | Qt::ShiftModifier | Qt::Key_Up}, ScriptAction::Larger,
          QObject::tr("Makes the number at the caret larger, as dragging it to the right does")),
      row({Qt::ControlModifier | Qt::ShiftModifier | Qt::Key_Down}, ScriptAction::Smaller,
          QObject::tr("Makes it smaller")),
      row({Qt::AltModifier | Qt::Key_Up}, ScriptAction::Up, QObject::tr("Moves the line up")),
      row({Qt::AltModifier | Qt::Key_Down}, ScriptAction::Down,
          QObject::tr("Moves the line down"))};
  return keys;
}

const std::vector<PaneKey>& pipeline_keys() {
  static const std::vector<PaneKey> keys{
      row({Qt::Key_Delete}, PipelineAction::Remove, QObject::tr("Takes the pass out")),
      row({Qt::AltModifier | Qt::Key_Up}, PipelineAction::Up, QObject::tr("Runs the pass earlier")),
      row({Qt::AltModifier | Qt::Key_Down}, PipelineAction::Down,
          QObject::tr("Runs the pass later"))};
  return keys;
}

const std::vector<PaneKey>& knob_keys() {
  static const std::vector<PaneKey> keys{
      row({Qt::Key_Left}, KnobAction::Left, QObject::tr("To the knob, or value, on the left")),
      row({Qt::Key_Right}, KnobAction::Right, QObject::tr("To the one on the right")),
      row({Qt::Key_Up}, KnobAction::Up, QObject::tr("To the value above")),
      row({Qt::Key_Down}, KnobAction::Down, QObject::tr("To the value below")),
      row({Qt::Key_Return, Qt::Key_Enter, Qt::Key_Space, Qt::Key_Menu}, KnobAction::Choose,
          QObject::tr("Pins or forbids the value; in the map of two knobs, to their best trial"))};
  return keys;
}

const std::vector<PaneKey>& trial_keys() {
  static const std::vector<PaneKey> keys{
      row({Qt::Key_Return, Qt::Key_Enter}, TrialAction::Open,
          QObject::tr("Puts the trial's script into the loop nest's, to be changed by hand"))};
  return keys;
}

std::vector<PaneKeys> all_pane_keys() {
  return {{QObject::tr("In a graph"), canvas_keys()},
          {QObject::tr("In loop nest, LLVM IR and assembly"), text_keys()},
          {QObject::tr("In a schedule script"), script_keys()},
          {QObject::tr("In the memory chart"), chart_keys()},
          {QObject::tr("In the pipeline"), pipeline_keys()},
          {QObject::tr("In the knobs of a tuning"), knob_keys()},
          {QObject::tr("In the list of its trials"), trial_keys()}};
}

}  // namespace loopglass::views

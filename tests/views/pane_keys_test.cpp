// Keys of panes, and the list of them that F1 shows.
#include "views/widgets/pane_keys.h"

#include "views/theme.h"

#include <QKeyEvent>

#include <gtest/gtest.h>

#include <set>

namespace loopglass::views {
namespace {

std::optional<int> action(const std::vector<PaneKey>& keys, int key,
                          Qt::KeyboardModifiers modifiers = {}) {
  return action_of(keys, QKeyEvent(QEvent::KeyPress, key, modifiers));
}

TEST(PaneKeys, EveryKeyDoesOneThingAndIsExplained) {
  for (const PaneKeys& pane : all_pane_keys()) {
    std::set<int> taken;
    EXPECT_FALSE(pane.title.isEmpty());
    for (const PaneKey& each : pane.keys) {
      EXPECT_FALSE(each.words.isEmpty());
      for (const QKeyCombination& key : each.keys) {
        EXPECT_TRUE(taken.insert(key.toCombined()).second) << each.words.toStdString();
        EXPECT_EQ(action(pane.keys, key.key(), key.keyboardModifiers()), each.action);
      }
    }
  }
}

TEST(PaneKeys, ModifiersCountButShiftOnlyWhereItIsAskedFor) {
  EXPECT_EQ(action(canvas_keys(), Qt::Key_Plus, Qt::ShiftModifier),
            static_cast<int>(CanvasAction::ZoomIn));
  EXPECT_EQ(action(canvas_keys(), Qt::Key_Plus, Qt::KeypadModifier),
            static_cast<int>(CanvasAction::ZoomIn));
  EXPECT_EQ(action(canvas_keys(), Qt::Key_Plus, Qt::ControlModifier), std::nullopt)
      << "the window's larger text";
  EXPECT_EQ(action(canvas_keys(), Qt::Key_F10), std::nullopt) << "a step over a pass";
  EXPECT_EQ(action(canvas_keys(), Qt::Key_F10, Qt::ShiftModifier), std::nullopt) << "one back";
  EXPECT_EQ(action(canvas_keys(), Qt::Key_Menu), static_cast<int>(CanvasAction::Menu));
  EXPECT_EQ(action(pipeline_keys(), Qt::Key_Up), std::nullopt);
  EXPECT_EQ(action(pipeline_keys(), Qt::Key_Up, Qt::AltModifier),
            static_cast<int>(PipelineAction::Up));
}

TEST(TextSize, ScalesAllFontsButTheCanvas) {
  const double text = theme().text_font().pointSizeF(), code = theme().code_font().pointSizeF(),
               canvas = theme().canvas_font().pointSizeF();
  int told = 0;
  const auto connection =
      QObject::connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, [&] { ++told; });
  set_text_scale(1.5);
  EXPECT_DOUBLE_EQ(theme().text_font().pointSizeF(), 1.5 * text);
  EXPECT_DOUBLE_EQ(theme().code_font().pointSizeF(), 1.5 * code);
  EXPECT_DOUBLE_EQ(theme().canvas_font().pointSizeF(), canvas);
  EXPECT_EQ(told, 1);
  set_text_scale(100);
  EXPECT_DOUBLE_EQ(text_scale(), largest_text_scale);
  set_text_scale(0);
  EXPECT_DOUBLE_EQ(text_scale(), least_text_scale);
  set_text_scale(1);
  QObject::disconnect(connection);
}

}  // namespace
}  // namespace loopglass::views

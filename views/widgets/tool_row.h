// A row of buttons above a pane, in one line however narrow the pane is: what does not fit goes,
// the least worth first, into the menu of a last button, so that no row of buttons decides how wide
// a window must be or takes the height of what it is about.
#pragma once

#include <QWidget>

#include <vector>

class QMenu;
class QToolButton;

namespace loopglass::views {

class ToolRow : public QWidget {
 public:
  // What is worth more stays longer; of what is worth the same what is further left. Words that are
  // no button just go, and what is worth `always` stays.
  static constexpr int always = 1000;

  explicit ToolRow(QWidget* parent = nullptr);

  void add(QWidget* widget, int worth = always) { insert(count(), widget, worth); }
  void insert(int index, QWidget* widget, int worth = always);
  void add_stretch();
  int count() const { return static_cast<int>(items_.size()); }
  QToolButton* more() const { return more_; }

  QSize sizeHint() const override;         // of all
  QSize minimumSizeHint() const override;  // of what always stays

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Item {
    QWidget* widget;  // null: a stretch
    int worth;
    bool left_out = false;
  };
  void arrange();
  void choose(int width);
  int width_of_shown() const;
  void fill(QMenu& menu) const;

  std::vector<Item> items_;
  QToolButton* more_;
};

}  // namespace loopglass::views

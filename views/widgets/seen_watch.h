// Whether a view can be seen. What stands behind another tab of a window's panes is visible to Qt,
// but lies outside the window.
#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>

class QDockWidget;
class QWidget;

namespace loopglass::views {

class SeenWatch : public QObject {
  Q_OBJECT

 public:
  explicit SeenWatch(QWidget* view);

  bool is_seen() const;

 signals:
  void changed(bool is_seen);  // a moment after

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void find_dock();
  void look();

  QWidget* view_;
  QPointer<QDockWidget> dock_;  // around it; null: none
  QTimer timer_;
  bool was_seen_ = false;
};

}  // namespace loopglass::views

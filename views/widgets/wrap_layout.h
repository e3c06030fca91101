// Widgets in a row, and in further rows where the pane is narrow, so that no row of buttons decides
// how wide a window must be. What is left over in a row goes to those in it that expand.
#pragma once

#include <QLayout>

#include <vector>

namespace loopglass::views {

class WrapLayout : public QLayout {
 public:
  explicit WrapLayout(int spacing, QWidget* parent = nullptr);
  ~WrapLayout() override;

  void insertWidget(int index, QWidget* widget);
  void addStretch();

  void addItem(QLayoutItem* item) override;
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override;
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return Qt::Horizontal; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;     // all in one row
  QSize minimumSize() const override;  // each in a row of its own
  void setGeometry(const QRect& place) override;

 private:
  using Row = std::vector<QLayoutItem*>;
  std::vector<Row> rows(int width) const;
  int width_of(const Row& row) const;

  std::vector<QLayoutItem*> items_;
};

}  // namespace loopglass::views

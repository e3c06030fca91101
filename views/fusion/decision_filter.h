// Which decisions are shown: a verdict, and words that must all occur somewhere in the row.
#pragma once

#include <QSortFilterProxyModel>
#include <QStringList>

namespace loopglass::views {

class DecisionFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  enum class Verdict { All, Fused, Apart };

  explicit DecisionFilter(QObject* parent = nullptr);
  void set_words(const QString& words);
  void set_verdict(Verdict verdict);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QStringList words_;
  Verdict verdict_ = Verdict::All;
};

}  // namespace loopglass::views

#include "views/iterations/reuse_table.h"

#include "core/support/readable_bytes.h"
#include "views/text.h"
#include "views/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>

namespace loopglass::views {
namespace {

constexpr int distance_shares_role = Qt::UserRole;
constexpr int bars_width = 150;

double part_of(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

QString in_percent(double part) { return QString("%1 %").arg(100 * part, 0, 'f', 1); }

// A bar for each distance, near ones at the left, first uses at the right and apart.
class DistanceBars : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const QVariantList shares = index.data(distance_shares_role).toList();
    if (shares.isEmpty()) return;
    constexpr int inset = 3, gap = 6;
    const QRectF room = QRectF(option.rect).adjusted(inset, inset, -inset, -inset);
    const double wide = std::min(14.0, (room.width() - gap) / double(shares.size()));
    for (qsizetype i = 0; i < shares.size(); ++i) {
      // Squeezed, or what is rare and costs most would not be seen.
      const double high = std::sqrt(shares[i].toDouble()) * room.height();
      const bool is_first = i + 1 == shares.size();
      const QRectF bar(room.left() + double(i) * wide + (is_first ? gap : 0), room.bottom() - high,
                       std::max(1.0, wide - 1), high);
      painter->fillRect(bar, is_first ? theme().warning : theme().accent);
    }
  }
};

enum ReuseColumn { NameColumn, BarsColumn, FirstLevelColumn };  // levels; accesses, lines, size

}  // namespace

ReuseTable::ReuseTable(QWidget* parent) : QTableWidget(parent) {
  setObjectName("reuseTable");
  verticalHeader()->hide();
  setEditTriggers(NoEditTriggers);
  setSelectionBehavior(SelectRows);
  setShowGrid(false);
  setItemDelegateForColumn(BarsColumn, new DistanceBars(this));
}

void ReuseTable::show_reuse(const locality::Reuse& reuse, const locality::Reuse* before) {
  const int levels = static_cast<int>(reuse.levels.size()),
            accesses_column = FirstLevelColumn + levels, lines_column = accesses_column + 1,
            size_column = lines_column + 1;
  setColumnCount(size_column + 1);
  setRowCount(static_cast<int>(reuse.buffers.size()));
  const auto title = [&](int column, const QString& words, const QString& help) {
    auto* item = new QTableWidgetItem(words);
    item->setToolTip(help);
    setHorizontalHeaderItem(column, item);
  };
  title(NameColumn, tr("Buffer"), tr("What stays in registers is not memory"));
  title(BarsColumn, tr("Used again after"),
        tr("How many other cache lines are used between two uses of one: from none at the left to "
           "many; apart, first uses"));
  for (int level = 0; level < levels; ++level) {
    const locality::Level& cache = reuse.levels[static_cast<std::size_t>(level)];
    title(FirstLevelColumn + level,
          tr("%1, %2").arg(text(cache.name), text(readable_bytes(cache.bytes))),
          tr("Accesses that would miss a cache of this size, which drops what was used longest "
             "ago; hardware that fetches ahead does better"));
  }
  title(accesses_column, tr("Accesses"), tr("Of elements"));
  title(lines_column, tr("Lines"), tr("Cache lines that were touched"));
  title(size_column, tr("Size"), {});
  for (int row = 0; row < rowCount(); ++row) {
    const locality::BufferReuse& buffer = reuse.buffers[static_cast<std::size_t>(row)];
    const auto put = [&](int column, const QString& words, bool is_number) {
      auto* item = new QTableWidgetItem(words);
      if (is_number) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      setItem(row, column, item);
      return item;
    };
    put(NameColumn, text(buffer.buffer), false);
    put(size_column, text(readable_bytes(buffer.bytes)), true);
    put(accesses_column, QLocale::c().toString(static_cast<qlonglong>(buffer.accesses)), true);
    put(lines_column, QLocale::c().toString(static_cast<qlonglong>(buffer.lines)), true);
    for (int level = 0; level < levels; ++level) {
      const auto at = static_cast<std::size_t>(level);
      const double now = part_of(buffer.misses[at], buffer.accesses);
      QString words = in_percent(now);
      if (before) {
        const auto old =
            std::ranges::find(before->buffers, buffer.buffer, &locality::BufferReuse::buffer);
        if (old != before->buffers.end())
          words = in_percent(part_of(old->misses[at], old->accesses)) + " → " + words;
      }
      put(FirstLevelColumn + level, words, true)
          ->setToolTip(tr("%1 of %2 accesses").arg(buffer.misses[at]).arg(buffer.accesses));
    }
    QVariantList shares;
    QStringList words;
    for (std::size_t kind = 0; kind < buffer.distances.size(); ++kind) {
      const double part = part_of(buffer.distances[kind], buffer.accesses);
      shares << part;
      if (part > 0) words << text(locality::distance_words(kind)) + ": " + in_percent(part);
    }
    shares << part_of(buffer.lines, buffer.accesses);
    words << tr("first: %1").arg(in_percent(part_of(buffer.lines, buffer.accesses)));
    QTableWidgetItem* item = put(BarsColumn, {}, false);
    item->setData(distance_shares_role, shares);
    item->setToolTip(words.join("\n"));
    item->setData(Qt::AccessibleTextRole, words.join(", "));
  }
  for (int column = 0; column <= size_column; ++column)
    if (column != BarsColumn) resizeColumnToContents(column);
  setColumnWidth(BarsColumn, bars_width);
}

}  // namespace loopglass::views

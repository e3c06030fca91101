#include "views/tuning/knob_map.h"

#include "core/support/readable_time.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/pane_keys.h"
#include "views/widgets/wrap_layout.h"

#include <QComboBox>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <map>

namespace loopglass::views {

class KnobMap::Cells : public QWidget {
 public:
  explicit Cells(KnobMap* map) : QWidget(map), map_(map) {
    setObjectName("knobCells");
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(200, 120);
    setAccessibleName(tr("The fastest of each pair of values"));
    connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this,
            qOverload<>(&QWidget::update));
  }

  void show_run(const ShownRun* run, int sketch, int until_round, int selected) {
    has_run_ = run && run->sketches && sketch >= 0 && sketch < std::ssize(*run->sketches);
    run_ = run ? *run : ShownRun();
    sketch_ = sketch;
    selected_ = selected;
    speeds_ = has_run_ ? KnobSpeeds(run_, sketch, until_round) : KnobSpeeds();
  }
  void show_knobs(int across, int up) {
    across_ = across;
    up_ = up;
    cells_.clear();
    if (!has_knobs()) return update();
    for (const int place : speeds_.places()) {
      const ShownTrial& trial = run_.trials[static_cast<std::size_t>(place)];
      const std::pair cell(choice(trial, across_), choice(trial, up_));
      auto& [count, best] = cells_.try_emplace(cell, 0, -1).first->second;
      ++count;
      if (speeds_.share(trial)) best = KnobSpeeds::better(run_, best, place);
    }
    cursor_ = {-1, -1};
    update();
  }
  const std::vector<tune::Knob>* knobs() const {
    return has_run_ ? &(*run_.sketches)[static_cast<std::size_t>(sketch_)].knobs : nullptr;
  }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.surface);
    if (!has_knobs() || speeds_.empty()) {
      painter.setPen(t.muted);
      painter.drawText(rect().adjusted(16, 8, -16, -8), Qt::AlignCenter | Qt::TextWordWrap,
                       tr("Two knobs of a run's space, and how fast their values are together."));
      return;
    }
    const QRectF area = plot();
    painter.setFont(t.small_font());
    const QFontMetricsF metrics(t.small_font());
    const double width = area.width() / count_of(across_), height = area.height() / count_of(up_);
    const auto& names = *knobs();
    painter.setPen(t.muted);
    const auto step = [](double room, double wanted) {
      return std::max(1, static_cast<int>(std::ceil(wanted / room)));
    };
    // Every so many values, so that each has the room that its words take.
    constexpr double widest_words = 96, gap = 10;
    double words = 3 * metrics.averageCharWidth();
    for (int x = 0; x < count_of(across_); ++x)
      words = std::max(words, metrics.horizontalAdvance(value(across_, x)));
    const int each_across = step(width, std::min(words, widest_words) + gap);
    const double room = std::min(each_across * width, area.width());
    double taken = area.left();  // by the words before
    for (int x = 0; x < count_of(across_); x += each_across) {
      const double left =
          std::clamp(area.left() + (x + 0.5) * width - room / 2, area.left(), area.right() - room);
      const QString shown = metrics.elidedText(value(across_, x), Qt::ElideRight, room - gap / 2);
      const double half = metrics.horizontalAdvance(shown) / 2, middle = left + room / 2;
      if (middle - half < taken) continue;
      taken = middle + half + gap;
      painter.drawText(QRectF(left, area.bottom() + 2, room, metrics.height()),
                       Qt::AlignHCenter | Qt::AlignTop, shown);
    }
    const double row = std::max(height, metrics.height());
    for (int y = 0; y < count_of(up_); y += step(height, metrics.height()))
      painter.drawText(
          QRectF(0, area.bottom() - (y + 0.5) * height - row / 2, area.left() - 6, row),
          Qt::AlignRight | Qt::AlignVCenter,
          metrics.elidedText(value(up_, y), Qt::ElideRight, area.left() - 8));
    painter.setPen(t.text);
    painter.drawText(QRectF(area.left(), area.bottom() + 2 + metrics.height(), area.width(),
                            metrics.height() + 2),
                     Qt::AlignHCenter,
                     tr("%1 across, %2 upwards")
                         .arg(text(names[static_cast<std::size_t>(across_)].name),
                              text(names[static_cast<std::size_t>(up_)].name)));
    paint_scale(painter, area.right(), area.bottom() + 2 + metrics.height(), metrics);
    for (int x = 0; x < count_of(across_); ++x)
      for (int y = 0; y < count_of(up_); ++y) {
        const QRectF cell = cell_at(x, y).adjusted(0.5, 0.5, -0.5, -0.5);
        const auto found = cells_.find({x, y});
        if (found == cells_.end()) {
          painter.setPen(QPen(mixed(t.surface, t.border, 0.6), 1));
          painter.setBrush(Qt::NoBrush);
          painter.drawRect(cell);
          continue;
        }
        const auto& [count, best] = found->second;
        const QColor fill =
            best < 0 ? t.raised
                     : t.heat(*speeds_.share(run_.trials[static_cast<std::size_t>(best)]));
        painter.fillRect(cell, fill);
        const QString words = best < 0 ? tr("✕") : time_of(best, 2);
        if (metrics.horizontalAdvance(words) + 6 < cell.width() &&
            metrics.height() < cell.height()) {
          painter.setPen(best < 0 ? t.error : text_on(fill));
          painter.drawText(cell, Qt::AlignCenter, words);
        }
      }
    const auto outline = [&](int x, int y, const QColor& color, double pen) {
      painter.setPen(QPen(color, pen));
      painter.setBrush(Qt::NoBrush);
      painter.drawRect(cell_at(x, y).adjusted(1, 1, -1, -1));
    };
    if (selected_ >= 0 && selected_ < std::ssize(run_.trials)) {
      const ShownTrial& trial = run_.trials[static_cast<std::size_t>(selected_)];
      if (trial.point && trial.point->sketch == sketch_)
        outline(choice(trial, across_), choice(trial, up_), t.mark, 2.5);
    }
    if (hasFocus() && cursor_.x() >= 0) outline(cursor_.x(), cursor_.y(), t.accent, 1.5);
  }

  void mousePressEvent(QMouseEvent* event) override {
    cursor_ = place_at(event->position());
    update();
    choose();
  }
  void keyPressEvent(QKeyEvent* event) override {
    const auto action = action_of(knob_keys(), *event);
    if (!has_knobs() || !action) return QWidget::keyPressEvent(event);
    QPoint to = cursor_.x() < 0 ? QPoint(0, 0) : cursor_;
    switch (static_cast<KnobAction>(*action)) {
      case KnobAction::Left: to.rx() -= 1; break;
      case KnobAction::Right: to.rx() += 1; break;
      case KnobAction::Up: to.ry() += 1; break;
      case KnobAction::Down: to.ry() -= 1; break;
      case KnobAction::Choose: return choose();
    }
    cursor_ = {std::clamp(to.x(), 0, count_of(across_) - 1),
               std::clamp(to.y(), 0, count_of(up_) - 1)};
    update();
  }
  bool event(QEvent* event) override {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
    if (event->type() != QEvent::ToolTip || !has_knobs()) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QPoint place = place_at(help->pos());
    if (place.x() < 0) QToolTip::hideText();
    else QToolTip::showText(help->globalPos(), words_of(place), this);
    return true;
  }

 private:
  bool has_knobs() const {
    const auto* known = knobs();
    return known && across_ >= 0 && up_ >= 0 && across_ < std::ssize(*known) &&
           up_ < std::ssize(*known);
  }
  static int choice(const ShownTrial& trial, int knob) {
    return trial.point->choices[static_cast<std::size_t>(knob)];
  }
  int count_of(int knob) const {
    return static_cast<int>((*knobs())[static_cast<std::size_t>(knob)].values.size());
  }
  QString value(int knob, int place) const {
    return text((*knobs())[static_cast<std::size_t>(knob)].values[static_cast<std::size_t>(place)]);
  }
  QString time_of(int trial, int digits = 3) const {
    const ShownTrial& shown = run_.trials[static_cast<std::size_t>(trial)];
    return (shown.left_early ? "> " : "") +
           text(readable_time(Milliseconds(shown.best_known_ms()), digits));
  }
  QRectF plot() const {
    const QFontMetricsF metrics(theme().small_font());
    double left = 24;
    for (int y = 0; y < count_of(up_); ++y)
      left = std::max(left, metrics.horizontalAdvance(value(up_, y)) + 12);
    left = std::min(left, 0.3 * width());
    return QRectF(rect()).adjusted(left, 8, -12, -2 * metrics.height() - 8);
  }
  QRectF cell_at(int x, int y) const {
    const QRectF area = plot();
    const double width = area.width() / count_of(across_), height = area.height() / count_of(up_);
    return {area.left() + x * width, area.bottom() - (y + 1) * height, width, height};
  }
  QPoint place_at(const QPointF& at) const {
    if (!has_knobs() || !plot().contains(at)) return {-1, -1};
    const QRectF area = plot();
    return {std::min(count_of(across_) - 1,
                     static_cast<int>((at.x() - area.left()) / area.width() * count_of(across_))),
            std::min(count_of(up_) - 1,
                     static_cast<int>((area.bottom() - at.y()) / area.height() * count_of(up_)))};
  }
  QString words_of(const QPoint& place) const {
    const auto& names = *knobs();
    QString words =
        QString("%1 %2, %3 %4")
            .arg(text(names[static_cast<std::size_t>(across_)].name), value(across_, place.x()),
                 text(names[static_cast<std::size_t>(up_)].name), value(up_, place.y()));
    const auto found = cells_.find({place.x(), place.y()});
    if (found == cells_.end()) return words + tr(": not tried");
    const auto& [count, best] = found->second;
    if (best < 0) return words + tr(": %1 tried, all failed").arg(count);
    return words + tr(": %1 tried, at best %2").arg(count).arg(time_of(best));
  }
  // "slow ▭▭▭▭▭ fast", up to the right edge.
  static void paint_scale(QPainter& painter, double right, double top,
                          const QFontMetricsF& metrics) {
    constexpr int shades = 6;
    const double size = 0.7 * metrics.height(), gap = 4;
    const QString slow = tr("slow"), fast = tr("fast");
    double x = right - metrics.horizontalAdvance(fast);
    painter.setPen(theme().muted);
    painter.drawText(QPointF(x, top + metrics.ascent()), fast);
    x -= shades * size + gap;
    for (int shade = 0; shade < shades; ++shade)
      painter.fillRect(QRectF(x + shade * size, top + 0.15 * metrics.height(), size, size),
                       theme().heat(static_cast<double>(shade) / (shades - 1)));
    painter.drawText(QPointF(x - gap - metrics.horizontalAdvance(slow), top + metrics.ascent()),
                     slow);
  }
  void choose() {
    const auto found = cells_.find({cursor_.x(), cursor_.y()});
    if (found != cells_.end() && found->second.second >= 0)
      emit map_->trialChosen(found->second.second);
  }

  KnobMap* map_;
  ShownRun run_;
  bool has_run_ = false;
  int sketch_ = 0, selected_ = -1, across_ = -1, up_ = -1;
  KnobSpeeds speeds_;
  std::map<std::pair<int, int>, std::pair<int, int>> cells_;  // how many, and the fastest; -1: none
  QPoint cursor_{-1, -1};

  friend class KnobMap;
};

KnobMap::KnobMap(QWidget* parent)
    : QWidget(parent), across_(new QComboBox), up_(new QComboBox), cells_(new Cells(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  auto* bar = new QWidget;
  auto* row = new WrapLayout(6, bar);
  row->setContentsMargins(8, 2, 8, 2);
  across_->setObjectName("mapAcross");
  up_->setObjectName("mapUp");
  for (const auto& [name, box] : {std::pair(tr("Across"), across_), std::pair(tr("Up"), up_)}) {
    auto* label = new QLabel(name);
    label->setBuddy(box);
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(label);
    row->addWidget(box);
    connect(box, &QComboBox::activated, this,
            [this] { cells_->show_knobs(across_->currentIndex(), up_->currentIndex()); });
  }
  column->addWidget(bar);
  column->addWidget(cells_, 1);
}

void KnobMap::show_run(const ShownRun* run, int sketch, int until_round, int selected) {
  cells_->show_run(run, sketch, until_round, selected);
  offer_knobs();
  cells_->show_knobs(across_->currentIndex(), up_->currentIndex());
}

void KnobMap::offer_knobs() {
  QStringList names;
  if (const auto* knobs = cells_->knobs())
    for (const tune::Knob& knob : *knobs) names << text(knob.name);
  QStringList known;
  for (int i = 0; i < across_->count(); ++i) known << across_->itemText(i);
  if (names == known) return;
  for (QComboBox* box : {across_, up_}) {
    box->clear();
    box->addItems(names);
    box->setEnabled(names.size() > 1);
  }
  // The two with most values say most.
  const auto* knobs = cells_->knobs();
  if (!knobs || knobs->empty()) return;
  std::vector<int> order(knobs->size());
  for (int k = 0; k < std::ssize(order); ++k) order[static_cast<std::size_t>(k)] = k;
  std::ranges::stable_sort(order, std::greater(), [&](int k) {
    return (*knobs)[static_cast<std::size_t>(k)].values.size();
  });
  across_->setCurrentIndex(order[0]);
  up_->setCurrentIndex(order[order.size() > 1 ? 1 : 0]);
}

}  // namespace loopglass::views

#include "views/canvas/canvas_pane.h"

#include "core/support/readable_time.h"
#include "views/canvas/minimap.h"
#include "views/code/find_bar.h"
#include "views/theme.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/pane_keys.h"
#include "views/widgets/tool_row.h"

#include <QLabel>
#include <QLineEdit>
#include <QResizeEvent>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace loopglass::views {
namespace {

constexpr int side_by_side = 460;  // from this width on

}  // namespace

CanvasPane::CanvasPane(JobQueue* jobs, const QString& lane, QWidget* parent)
    : QWidget(parent),
      canvas_(new GraphCanvas(jobs, lane)),
      map_(new Minimap(canvas_)),
      column_(new QVBoxLayout(this)),
      foot_(new QWidget),
      split_(new FlowSplitter(side_by_side)),
      tools_(new ToolRow),
      status_(new QLabel),
      meaning_(new QLabel),
      find_bar_(new FindBar(tr("Find by name or operator"))) {
  column_->setContentsMargins(0, 0, 0, 0);
  column_->setSpacing(0);
  tools_->add_stretch();
  // Wheel and keys zoom as well.
  constexpr int zooms = 0, finds = 100;
  const auto add = [&](const QString& text, const QString& tip, int worth, auto act) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    if (text.size() == 1) button->setFixedWidth(28);
    connect(button, &QToolButton::clicked, this, act);
    tools_->add(button, worth);
  };
  const auto with_keys = [](const QString& tip, CanvasAction action) {
    return QString("%1 (%2)").arg(tip, key_words(canvas_keys(), action));
  };
  add("−", with_keys(tr("Zoom out"), CanvasAction::ZoomOut), zooms, [this] { canvas_->zoom(0.8); });
  add("+", with_keys(tr("Zoom in"), CanvasAction::ZoomIn), zooms, [this] { canvas_->zoom(1.25); });
  add(tr("Fit"), with_keys(tr("Show the whole graph"), CanvasAction::Fit), finds,
      [this] { canvas_->fit(); });
  add(tr("Find"), tr("Find a node (Ctrl+F)"), finds, [this] { find(); });
  column_->addWidget(tools_);
  split_->addWidget(canvas_);
  column_->addWidget(split_, 1);
  column_->addWidget(find_bar_);
  column_->addWidget(meaning_);
  meaning_->setObjectName("searchMeaning");
  meaning_->setMargin(4);
  meaning_->setTextFormat(Qt::RichText);
  meaning_->setWordWrap(true);
  meaning_->hide();
  column_->addWidget(foot_);
  foot_column_ = new QVBoxLayout(foot_);
  foot_column_->setContentsMargins(0, 0, 0, 0);
  foot_column_->setSpacing(0);
  foot_column_->addWidget(status_);
  status_->setMargin(4);
  status_->setTextFormat(Qt::RichText);
  status_->setWordWrap(true);

  connect(find_bar_, &FindBar::textChanged, this, &CanvasPane::search);
  connect(find_bar_, &FindBar::next, this, [this] { go(1); });
  connect(find_bar_, &FindBar::previous, this, [this] { go(-1); });
  connect(find_bar_, &FindBar::closed, canvas_, [this] { canvas_->setFocus(); });
  connect(canvas_, &GraphCanvas::layoutChanged, this, &CanvasPane::search);
  // What is drawn has fonts of its own, which zoom with all of it.
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this,
          [this, scale = text_scale()]() mutable {
            const double before = std::exchange(scale, text_scale());
            if (before != scale) canvas_->follow_text_scale(scale / before);
          });
}

void CanvasPane::stand_beside(QWidget* widget) { split_->addWidget(widget); }

void CanvasPane::stand_below(QWidget* widget) { foot_column_->insertWidget(0, widget); }

void CanvasPane::resizeEvent(QResizeEvent* event) {
  constexpr int lines = 13;  // of text; of less the drawing needs all
  foot_->setVisible(event->size().height() >= lines * fontMetrics().height());
  QWidget::resizeEvent(event);
}

void CanvasPane::share_evenly() {
  constexpr int share = 1 << 12;
  split_->setSizes(QList<int>(split_->count(), share));
}

void CanvasPane::set_status(const QString& rich_text) { status_->setText(rich_text); }

void CanvasPane::find() { find_bar_->open(); }
QString CanvasPane::search_text() const { return find_bar_->text(); }

void CanvasPane::set_matcher(std::function<std::optional<CanvasMatch>(const QString& text)> matcher,
                             const QString& hint) {
  matcher_ = std::move(matcher);
  find_bar_->findChild<QLineEdit*>()->setToolTip(hint);
}

void CanvasPane::search() {
  const QString text = find_bar_->text();
  std::optional<CanvasMatch> match;
  if (matcher_ && !text.isEmpty()) match = matcher_(text);
  meaning_->setVisible(match && !(match->words.isEmpty() && match->problem.isEmpty()));
  if (match) {
    const QString words = QString("<span style='color:%1'>%2</span>")
                              .arg(theme().muted.name(), match->words.toHtmlEscaped());
    meaning_->setText(match->problem.isEmpty() ? words : match->problem);
    canvas_->mark_found(match->nodes);
    found_ = std::move(match->nodes);
  } else {
    found_ = canvas_->mark_found(text);
  }
  current_ = -1;
  find_bar_->show_count(0, static_cast<int>(found_.size()));
}

void CanvasPane::go(int by) {
  if (found_.empty()) return;
  const int count = static_cast<int>(found_.size());
  if (current_ < 0) current_ = by > 0 ? 0 : count - 1;
  else current_ = (current_ + by + count) % count;
  find_bar_->show_count(current_ + 1, count);
  const std::uint32_t node = found_[static_cast<std::size_t>(current_)];
  emit canvas_->nodeClicked(node);
  canvas_->centre_on(node);
}

QString describe_layout(const layout::Layout* layout) {
  if (!layout || layout->centres.empty()) return {};
  const auto engine = layout::name(layout->engine);
  return QObject::tr("laid out by %1 in %2")
      .arg(QString::fromUtf8(engine.data(), static_cast<qsizetype>(engine.size())))
      .arg(QString::fromStdString(readable_time(layout->duration)));
}

}  // namespace loopglass::views

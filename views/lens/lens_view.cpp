#include "views/lens/lens_view.h"

#include "views/document/command_line.h"
#include "views/document/difference_words.h"
#include "views/lens/histogram.h"
#include "views/lens/lens_text.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/command_bar.h"
#include "views/widgets/pass_on_undo.h"
#include "views/widgets/seen_watch.h"
#include "views/widgets/work_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QScrollArea>
#include <QSpinBox>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

const QString lens_lane = "tensor lens";
constexpr int value_role = Qt::UserRole;
constexpr int most_rows = 2000;

QLabel* rich_label(const char* name) {
  auto* label = new QLabel;
  label->setObjectName(name);
  label->setTextFormat(Qt::RichText);
  label->setWordWrap(true);
  label->setMargin(6);
  label->setTextInteractionFlags(Qt::TextBrowserInteraction);
  label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  return label;
}

}  // namespace

LensView::LensView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      watch_(new SeenWatch(this)),
      values_(new QComboBox),
      compare_(new QCheckBox),
      seed_(new QSpinBox),
      histogram_(new Histogram),
      numbers_(rich_label("lensNumbers")),
      difference_(rich_label("lensDifference")),
      parting_(rich_label("lensParting")),
      differences_(new QTreeWidget),
      command_(new CommandBar) {
  pass_on_undo(seed_);
  page_ = new WorkPage(make_content(), document->jobs(), lens_lane);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_tools());
  layout->addWidget(page_, 1);
  layout->addWidget(command_);

  connect(watch_, &SeenWatch::changed, this, &LensView::refresh_later);
  connect(page_, &WorkPage::againWanted, this, &LensView::refresh_later);
  connect(&document->selection(), &Selection::selectionChanged, this, &LensView::refresh_later);
  connect(&document->history(), &HistoryStage::stepChanged, this, &LensView::refresh_later);
  connect(&document->history(), &HistoryStage::historyChanged, this, &LensView::forget);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    if (seen_) show_look();
  });
  connect(parting_, &QLabel::linkActivated, this, [this](const QString& link) {
    document_->selection().select_value(graph::ValueId{link.section(':', 1).toUInt()});
  });
  for (const auto signal : {&QTreeWidget::itemClicked, &QTreeWidget::itemActivated})
    connect(differences_, signal, this, [this](QTreeWidgetItem* row) { choose(row); });
  forget();
}

QWidget* LensView::make_tools() {
  auto* bar = new QWidget;
  auto* column = new QVBoxLayout(bar);
  column->setContentsMargins(6, 3, 6, 3);
  column->setSpacing(3);
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  values_->setObjectName("lensValues");
  values_->setToolTip(tr("The tensor to look at: → made by the selected operator, ← read by it"));
  values_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  values_->setMinimumContentsLength(8);
  compare_->setObjectName("lensCompare");
  seed_->setRange(1, 1'000'000);
  seed_->setPrefix(tr("seed "));
  seed_->setKeyboardTracking(false);
  seed_->setToolTip(tr("The network's inputs are random; another seed makes others (--seed)"));
  row->addWidget(values_, 1);
  row->addWidget(seed_);
  column->addLayout(row);
  column->addWidget(compare_);
  connect(values_, &QComboBox::activated, this,
          [this] { look_at(graph::ValueId{values_->currentData().toUInt()}); });
  connect(compare_, &QCheckBox::toggled, this, &LensView::refresh_later);
  connect(seed_, &QSpinBox::valueChanged, this, &LensView::refresh_later);
  return bar;
}

QWidget* LensView::make_content() {
  differences_->setObjectName("lensDifferences");
  differences_->setColumnCount(2);
  differences_->setHeaderLabels({tr("Value"), tr("Compared")});
  differences_->setRootIsDecorated(false);
  differences_->setUniformRowHeights(true);
  differences_->header()->resizeSection(0, 150);
  auto* top = new QWidget;
  auto* column = new QVBoxLayout(top);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(histogram_);
  column->addWidget(difference_);
  column->addWidget(numbers_);
  column->addStretch();
  auto* scroll = new QScrollArea;
  scroll->setWidget(top);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  top->setAutoFillBackground(true);
  top->setBackgroundRole(QPalette::Base);
  auto* bottom = new QWidget;
  auto* rows = new QVBoxLayout(bottom);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(parting_);
  rows->addWidget(differences_, 1);
  auto* split = new QSplitter(Qt::Vertical);
  split->setChildrenCollapsible(false);
  split->addWidget(scroll);
  split->addWidget(bottom);
  split->setSizes({420, 160});
  return split;
}

void LensView::forget() {
  document_->jobs().cancel(lens_lane);
  seen_.reset();
  wish_ = {};
  if (session_ != document_->session()) {
    session_ = document_->session();
    evaluator_.reset();
  }
  refresh_later();
}

// --- what to look at ---

// What is selected, as values of the graph at the place: an edge itself, then what the operator
// makes and reads.
std::vector<graph::ValueId> LensView::wanted_values() const {
  const auto graph = document_->history().graph();
  const Selection& selection = document_->selection();
  std::vector<graph::ValueId> values;
  const auto add = [&](graph::ValueId id) {
    if (id.valid() && graph->find(id) &&
        std::find(values.begin(), values.end(), id) == values.end())
      values.push_back(id);
  };
  if (const auto* value = std::get_if<SelectedValue>(&selection.current())) {
    add(value->value->id);
    return values;
  }
  const graph::NodePtr primary = selection.primary_node();
  const graph::Node* node = primary ? graph->find(primary->id) : nullptr;
  if (!node && !selection.highlighted_nodes().empty())
    node = graph->find(*selection.highlighted_nodes().begin());
  if (!node) return values;
  for (const graph::ValueId id : node->outputs) add(id);
  for (const graph::ValueId id : node->inputs) add(id);
  return values;
}

void LensView::fill_values(const std::vector<graph::ValueId>& values) {
  const QVariant current = values_->currentData();
  values_->clear();
  const auto graph = document_->history().graph();
  for (const graph::ValueId id : values) {
    const graph::Value& value = graph->value(id);
    const auto* selected = std::get_if<SelectedValue>(&document_->selection().current());
    const bool made =
        selected || (value.producer.valid() &&
                     document_->selection().highlighted_nodes().contains(value.producer));
    values_->addItem((made ? "→ " : "← ") + text(value.name), id.value);
    values_->setItemData(values_->count() - 1, text(to_string(value.type)), Qt::ToolTipRole);
  }
  if (const int kept = values_->findData(current); kept > 0) values_->setCurrentIndex(kept);
  values_->setEnabled(values_->count() > 1);
}

void LensView::refresh_later() {
  if (std::exchange(pending_, true)) return;
  QMetaObject::invokeMethod(this, &LensView::refresh, Qt::QueuedConnection);
}

void LensView::refresh() {
  pending_ = false;
  // Looking costs a run of the network.
  if (!watch_->is_seen()) return;
  const auto base = document_->history().base();
  compare_->setEnabled(base.has_value());
  compare_->setText(base ? tr("Compare with %1").arg(place(base)) : tr("Compare"));
  compare_->setToolTip(document_->history().pinned_base()
                           ? tr("With the place that was pinned (Ctrl+Shift+D)")
                           : tr("With the place before; pin another with Ctrl+Shift+D"));
  const auto show_nothing = [this](const QString& why) {
    document_->jobs().cancel(lens_lane);
    seen_.reset();
    fill_values({});
    command_->set_command({});
    page_->show_message(why);
  };
  if (!document_->history().graph())
    return show_nothing(tr("Open a model to see what flows through it."));
  const auto values = wanted_values();
  if (values.empty())
    return show_nothing(document_->selection().empty()
                            ? tr("Select an edge or an operator in the graph to see its values.")
                            : tr("What is selected is not part of the graph at %1.")
                                  .arg(place(document_->history().position())));
  fill_values(values);
  look_at(graph::ValueId{values_->currentData().toUInt()});
}

// --- looking ---

void LensView::look_at(graph::ValueId value) {
  LookWish wish;
  wish.session = document_->session();
  if (!evaluator_) evaluator_ = std::make_shared<debug::Evaluator>(document_->toolchain());
  wish.evaluator = evaluator_;
  wish.seed = static_cast<std::uint64_t>(seed_->value());
  wish.at = document_->history().position();
  wish.graph = document_->history().graph();
  wish.value = value;
  if (compare_->isChecked() && document_->history().base()) {
    wish.against = document_->history().base();
    wish.base = document_->history().base_graph();
  }
  const bool same_places =
      wish.graph == wish_.graph && wish.base == wish_.base && wish.seed == wish_.seed;
  if (same_places) wish.comparison = wish_.comparison;
  const bool known = same_places && value == wish_.value && (page_->working() || seen_);
  wish_ = wish;
  if (known) {
    if (seen_) show_look();
    return command_->set_command(command());
  }
  seen_.reset();
  command_->set_command(command());
  const QString title = tr("Looking at %1").arg(text(wish.graph->value(value).name));
  const auto follow = page_->begin(title);
  using LookPtr = std::shared_ptr<const Look>;
  document_->jobs().run<LookPtr>(
      lens_lane, title,
      [wish, follow](const JobContext& context) {
        return look(wish, {follow(context), context.cancellation});
      },
      [this](LookPtr seen) { accept(std::move(seen)); },
      [this](const Diagnostic& problem) { page_->show_problem(problem); }, this);
}

void LensView::accept(std::shared_ptr<const Look> look) {
  seen_ = std::move(look);
  wish_.comparison = seen_->comparison;
  show_look();
  page_->show_content();
}

QString LensView::place(const std::optional<pass::Position>& position) const {
  const auto history = document_->history().recorded();
  if (!position || !history) return {};
  return text(pass::describe(*position, *history));
}

void LensView::show_look() {
  const QString here = place(wish_.at), there = place(wish_.against);
  histogram_->show_summaries(seen_->here, seen_->there);
  numbers_->setText(numbers_html(*seen_, here, there));
  const QString difference = difference_html(*seen_, there);
  difference_->setText(difference);
  difference_->setVisible(!difference.isEmpty());
  differences_->parentWidget()->setVisible(seen_->comparison != nullptr);
  if (seen_->comparison) show_differences();
}

// Those that are not the same to the bit, in the order in which they are computed.
void LensView::show_differences() {
  const debug::Comparison& comparison = *seen_->comparison;
  const Theme& t = theme();
  parting_->setText(parting_html(comparison, place(wish_.against)));
  differences_->clear();
  QTreeWidgetItem* current = nullptr;
  for (std::size_t i = 0; i < comparison.values.size(); ++i) {
    const debug::Difference& value = comparison.values[i];
    if (value.comparable && value.bitwise_different == 0) continue;
    if (differences_->topLevelItemCount() == most_rows) break;
    const bool first = comparison.first_divergence == i;
    const char* glyph = first ? "▶ " : value.diverges ? "✕ " : value.comparable ? "≈ " : "⇄ ";
    auto* row = new QTreeWidgetItem({glyph + text(value.name_after), in_words(value)});
    row->setData(0, value_role, value.after.value);
    row->setForeground(0, value.diverges ? t.error : t.muted);
    row->setToolTip(1, in_words(value));
    if (first) {
      QFont bold = t.text_font();
      bold.setBold(true);
      row->setFont(0, bold);
      row->setToolTip(0, tr("The first to diverge"));
    }
    differences_->addTopLevelItem(row);
    if (value.after == wish_.value) current = row;
  }
  differences_->setVisible(differences_->topLevelItemCount() > 0);
  if (current) differences_->setCurrentItem(current);
}

void LensView::choose(QTreeWidgetItem* row) {
  document_->selection().select_value(graph::ValueId{row->data(0, value_role).toUInt()});
}

QString LensView::command() const {
  QString command = "loopglassc lens " + model_words(*document_) + " " +
                    shell_word(text(wish_.graph->value(wish_.value).name)) + " --at " +
                    text(pass::to_text(wish_.at));
  if (wish_.against) command += " --against " + text(pass::to_text(*wish_.against));
  if (wish_.seed != 1) command += QString(" --seed %1").arg(wish_.seed);
  return command;
}

}  // namespace loopglass::views

#include "views/fusion/near_miss_list.h"

#include "core/fusion/edits.h"
#include "core/fusion/estimate_words.h"
#include "core/runtime/memory_budget.h"
#include "core/support/readable_time.h"
#include "views/counted.h"
#include "views/fusion/hand_menu.h"
#include "views/fusion/tables.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/name_delegate.h"
#include "views/widgets/work_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <functional>
#include <limits>

namespace loopglass::views {
namespace {

const QString near_miss_list_lane = "near misses";
constexpr int sort_role = Qt::UserRole, index_role = Qt::UserRole + 1;
enum NearMissColumn { Producer, Consumer, Time, Bytes, Reason, Smallest, NearMissColumnCount };

bool is_force(const fusion::Change& change) { return change.recipe.starts_with("--force"); }

// Of the button; empty where a person can do nothing about it here.
QString button_words(const fusion::Change& change) {
  using Kind = fusion::Change::Kind;
  switch (change.kind) {
    case Kind::Force:
    case Kind::MergeByHand:
      return is_force(change) ? QObject::tr("Force It") : QObject::tr("Merge by Hand");
    case Kind::LiftConstraint:
      return change.allowed.empty() ? QString() : QObject::tr("Allow It Again");
    case Kind::TakeAlong: return QObject::tr("Take Along What Lies Between");
    case Kind::SplitFirst: return QObject::tr("Split, Then Merge");
    case Kind::None: return {};
  }
  __builtin_unreachable();
}

}  // namespace

NearMissList::NearMissList(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      rows_(new QStandardItemModel(0, NearMissColumnCount, this)),
      table_(new QTableView),
      limit_(new QComboBox),
      count_(new QLabel),
      detail_(new QLabel),
      change_(new QPushButton) {
  page_ = new WorkPage(make_content(), document->jobs(), near_miss_list_lane);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(page_);
  connect(page_, &WorkPage::againWanted, this, &NearMissList::derive);
  connect(&document->fusion(), &FusionStage::planChanged, this, &NearMissList::forget);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &NearMissList::show_current);
  forget();
}

QWidget* NearMissList::make_content() {
  rows_->setHorizontalHeaderLabels({tr("Producer"), tr("Consumer"), tr("Time saved"),
                                    tr("Traffic saved"), tr("Not fused because"),
                                    tr("Smallest change")});
  const auto explain = [&](NearMissColumn column, const QString& words) {
    rows_->horizontalHeaderItem(column)->setToolTip("<p>" + words + "</p>");
  };
  explain(
      Time,
      tr("Time of one run that the change saves, by the calibrated cost model; no gain, where that "
         "is less than the model is wrong by. Without calibration: in which order"));
  explain(Bytes, tr("Bytes of intermediate tensors that the change spares"));
  rows_->setSortRole(sort_role);
  table_->setObjectName("nearMisses");
  table_->setModel(rows_);
  dress_table(table_);
  table_->sortByColumn(-1, Qt::AscendingOrder);  // the order of the list itself
  for (const auto& [column, width] :
       {std::pair{Producer, 170}, {Consumer, 170}, {Time, 90}, {Bytes, 90}, {Reason, 210}})
    table_->horizontalHeader()->resizeSection(
        column, std::max(width, table_->horizontalHeader()->sectionSizeHint(column)));
  for (const std::size_t limit : {10, 50, 200})
    limit_->addItem(tr("the first %1").arg(limit), QVariant::fromValue<qulonglong>(limit));
  limit_->addItem(tr("all"),
                  QVariant::fromValue<qulonglong>(std::numeric_limits<std::size_t>::max()));
  limit_->setObjectName("nearMissLimit");
  limit_->setAccessibleName(tr("How many near misses"));
  detail_->setObjectName("nearMissDetail");
  detail_->setWordWrap(true);
  detail_->setTextFormat(Qt::RichText);
  detail_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  detail_->setMargin(6);
  change_->setObjectName("nearMissChange");
  count_->setObjectName("nearMissCount");
  count_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 3, 6, 3);
  bar->setSpacing(6);
  bar->addWidget(count_, 1);
  bar->addWidget(limit_);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(0, 0, 6, 0);
  foot->addWidget(detail_, 1);
  foot->addWidget(change_, 0, Qt::AlignVCenter);
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(bar);
  column->addWidget(table_, 1);
  column->addLayout(foot);

  connect(limit_, &QComboBox::currentIndexChanged, this, [this] {
    emit limitChanged();
    derive();
  });
  for (const NearMissColumn column : {Producer, Consumer})
    table_->setItemDelegateForColumn(column, new NameDelegate(table_));
  on_row_chosen(table_, this, [this] {
    show_current();
    const fusion::NearMiss* miss = current();
    if (!miss) return;
    const fusion::Decision& decision = decision_of(*miss);
    emit edgeChosen({decision.producer, decision.consumer});
    document_->selection().select_value(decision.value);
  });
  connect(table_, &QTableView::activated, this, &NearMissList::make_change);
  connect(change_, &QPushButton::clicked, this, &NearMissList::make_change);
  table_->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(table_, &QWidget::customContextMenuRequested, this, &NearMissList::open_menu);
  return content;
}

std::size_t NearMissList::limit() const {
  return static_cast<std::size_t>(limit_->currentData().toULongLong());
}

void NearMissList::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (plan_ != document_->fusion().plan() && !page_->working()) derive();
}

void NearMissList::forget() {
  document_->jobs().cancel(near_miss_list_lane);
  plan_.reset();
  misses_.clear();
  rows_->setRowCount(0);
  page_->show_message({});  // the pane says that there is no plan
  if (isVisible()) derive();
}

void NearMissList::derive() {
  const auto plan = document_->fusion().plan();
  if (!plan) return;
  struct Found {
    std::vector<fusion::NearMiss> misses;
  };
  const auto follow = page_->begin(tr("Looking for the smallest changes"));
  document_->jobs().run<Found>(
      near_miss_list_lane, tr("Nearest misses"),
      [plan, graph = document_->history().last_graph(), session = document_->session(),
       limit = limit(), follow](const JobContext& context) -> Result<Found> {
        return Found{
            TRY(fusion::near_misses(fusion::BlockRules(*graph), *plan, *session->cost_model(),
                                    limit, follow(context), context.cancellation))};
      },
      [this, plan](Found found) { accept(plan, std::move(found.misses)); },
      [this](const Diagnostic& problem) { page_->show_problem(problem); }, this);
}

void NearMissList::accept(std::shared_ptr<const fusion::Plan> plan,
                          std::vector<fusion::NearMiss> misses) {
  plan_ = std::move(plan);
  misses_ = std::move(misses);
  rows_->setRowCount(0);
  if (misses_.empty()) {
    return page_->show_message(
        plan_->decisions.empty()
            ? tr("No operator reads what another makes, so there is no edge to fuse.")
            : tr("Every edge is fused: no near misses."));
  }
  const auto saved = fusion::gain_words(misses_);
  for (std::size_t i = 0; i < misses_.size(); ++i) add_row(i, text(saved[i]));
  if (const QHeaderView& header = *table_->horizontalHeader(); header.sortIndicatorSection() >= 0)
    rows_->sort(header.sortIndicatorSection(), header.sortIndicatorOrder());
  const auto apart =
      std::ranges::count_if(plan_->decisions, [](const auto& decision) { return !decision.fused; });
  const auto idle = std::ranges::count_if(misses_, std::not_fn(fusion::saves_time));
  const QString order =
      idle == 0 ? tr("what a small change would fuse, and save most, comes first")
      : idle == std::ssize(misses_)
          ? tr("no small change to them is estimated to save time")
          : tr("what a small change would fuse, and save most, comes first; the last %1 listed "
               "save no time by the estimate")
                .arg(idle);
  count_->setText(tr("%1 not fused; %2").arg(counted(apart, "edge"), order));
  count_->setToolTip(count_->text());
  page_->show_content();
  show_current();
}

void NearMissList::add_row(std::size_t index, const QString& saved) {
  const fusion::NearMiss& miss = misses_[index];
  const fusion::Decision& decision = decision_of(miss);
  const auto graph = document_->history().last_graph();
  QList<QStandardItem*> row;
  const auto add = [&](const QString& words, const QVariant& order) {
    auto* item = new QStandardItem(words);
    item->setData(order, sort_role);
    item->setData(static_cast<qulonglong>(index), index_role);
    item->setToolTip(words);
    row.append(item);
    return item;
  };
  for (const graph::NodeId end : {decision.producer, decision.consumer})
    add(text(graph->node(end).name), static_cast<qulonglong>(graph->position(end)));
  const bool possible = miss.change.kind != fusion::Change::Kind::None;
  auto* time =
      add(saved, possible ? miss.saved_microseconds : std::numeric_limits<double>::lowest());
  time->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  if (miss.gain == fusion::Gain::None && miss.error_microseconds)
    time->setToolTip(tr("<p>The change is estimated to save %1, and the cost model is wrong by as "
                        "much as %2 here.</p>")
                         .arg(text(readable_time(Microseconds(miss.saved_microseconds))),
                              text(readable_time(Microseconds(*miss.error_microseconds)))));
  add(text(runtime::readable_bytes(miss.saved_bytes)), static_cast<qlonglong>(miss.saved_bytes))
      ->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  const QString reason = text(fusion::name(decision.reason));
  add(reason, reason)
      ->setToolTip(text(decision.sentence) + "\n" + reason + ": " +
                   text(fusion::explanation(decision.reason)));
  const QString change = text(miss.change.sentence);
  add(change, change);
  rows_->appendRow(row);
}

const fusion::NearMiss* NearMissList::current() const {
  const QModelIndex index = chosen_row(*table_);
  if (!index.isValid() || !plan_) return nullptr;
  return &misses_[static_cast<std::size_t>(index.data(index_role).toULongLong())];
}

const fusion::Decision& NearMissList::decision_of(const fusion::NearMiss& miss) const {
  return plan_->decisions[miss.decision];
}

void NearMissList::show_current() {
  const fusion::NearMiss* miss = current();
  detail_->setVisible(miss != nullptr);
  change_->setVisible(miss != nullptr);
  if (!miss) return;
  const fusion::Decision& decision = decision_of(*miss);
  const fusion::Change& change = miss->change;
  const QString muted = theme().muted.name();
  QString html =
      QString("<b>%1</b> &nbsp;%2<br>%3")
          .arg(text(fusion::name(decision.reason)), text(decision.sentence).toHtmlEscaped(),
               tr("Smallest change: %1").arg(text(change.sentence).toHtmlEscaped()));
  if (!change.recipe.empty() && !is_force(change))
    html += QString("<br><code style='color:%1'>%2</code>")
                .arg(muted, text(change.recipe).toHtmlEscaped());
  detail_->setText(html);
  const QString words = button_words(change);
  change_->setText(words);
  change_->setToolTip(text(change.recipe));
  change_->setVisible(!words.isEmpty());
}

void NearMissList::make_change() {
  const fusion::NearMiss* miss = current();
  if (!miss || !change_->isVisibleTo(this)) return;
  const fusion::Decision& decision = decision_of(*miss);
  const fusion::Edge edge{decision.producer, decision.consumer};
  const fusion::Change change = miss->change;  // which goes with the plan
  if (!change.allowed.empty()) return ask(*document_, change.allowed, Wish::Leave);
  if (is_force(change)) return ask(*document_, {edge}, Wish::Force);
  if (auto script = fusion::parse_edits(change.recipe))
    document_->add_edits(std::move(script->edits));
}

void NearMissList::open_menu(QPoint at) {
  const fusion::NearMiss* miss = current();
  if (!miss) return;
  QMenu menu(this);
  menu.setToolTipsVisible(true);
  if (change_->isVisibleTo(this)) {
    menu.addAction(plain(change_->text()), this, &NearMissList::make_change);
    menu.addSeparator();
  }
  fill_edge_menu(menu, *document_, {decision_of(*miss)});
  menu.exec(table_->viewport()->mapToGlobal(at));
}

}  // namespace loopglass::views

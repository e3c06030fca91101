#include "views/diff/diff_view.h"

#include "core/graph/text.h"
#include "core/support/line_diff.h"
#include "views/document/lanes.h"
#include "views/document/stage_page.h"
#include "views/theme.h"
#include "views/widgets/columns_give_way.h"
#include "views/widgets/text_size.h"

#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QSyntaxHighlighter>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

namespace loopglass::views {
namespace {

// Lines begin with what became of them, so colour only repeats it.
class HunkColours : public QSyntaxHighlighter {
 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

 protected:
  void highlightBlock(const QString& line) override {
    const Theme& t = theme();
    if (line.startsWith("@@")) setFormat(0, static_cast<int>(line.size()), t.label);
    else if (line.startsWith('+')) setFormat(0, static_cast<int>(line.size()), t.good);
    else if (line.startsWith('-')) setFormat(0, static_cast<int>(line.size()), t.error);
  }
};

// As much of a text as one reads.
QString shortened(const std::string& hunks) {
  constexpr std::size_t most = 400'000;
  QString text =
      QString::fromUtf8(hunks.data(), static_cast<qsizetype>(std::min(most, hunks.size())));
  if (hunks.size() > most)
    text += QObject::tr("\n… and more: loopglassc diff --text prints all of it");
  return text;
}

}  // namespace

DiffView::DiffView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      counts_(new CountModel(this)),
      nodes_(new NodeDiffModel(this)),
      heading_(new QLabel),
      tabs_(new QTabWidget),
      text_(new QPlainTextEdit) {
  heading_->setObjectName("diffHeading");
  heading_->setWordWrap(true);
  heading_->setMargin(6);
  QTableView* counts = make_table(counts_);
  counts->setObjectName("diffCounts");
  counts->horizontalHeader()->setSectionResizeMode(CountModel::Name, QHeaderView::Stretch);
  for (const int column : {CountModel::Before, CountModel::After, CountModel::Delta})
    counts->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  // As what is below it may be narrower than a title.
  const auto fit_titles = [counts] {
    constexpr int beside_title = 24;
    counts->horizontalHeader()->setMinimumSectionSize(
        counts->fontMetrics().horizontalAdvance(tr("Change")) + beside_title);
  };
  fit_titles();
  // What was before is what is after less the change, which is what one is here for.
  let_columns_give_way(counts, {CountModel::Before, CountModel::After});
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, counts, fit_titles);
  QTableView* nodes = make_table(nodes_);
  nodes->setObjectName("diffNodes");
  nodes->setColumnWidth(NodeDiffModel::Name, 170);
  nodes->horizontalHeader()->setSectionResizeMode(NodeDiffModel::Operator,
                                                  QHeaderView::ResizeToContents);
  nodes->horizontalHeader()->setStretchLastSection(true);
  text_->setObjectName("diffText");
  text_->setReadOnly(true);
  text_->setLineWrapMode(QPlainTextEdit::NoWrap);
  use_code_font(text_);
  auto* colours = new HunkColours(text_->document());
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, colours,
          &QSyntaxHighlighter::rehighlight);
  tabs_->setDocumentMode(true);
  tabs_->addTab(counts, tr("Counts"));
  tabs_->addTab(nodes, tr("Nodes"));
  tabs_->addTab(text_, tr("Text"));
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(heading_);
  column->addWidget(tabs_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(
      new StagePage(document, Stage::Model, content, tr("Open a model to compare its steps.")));

  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &DiffView::show_heading);
  connect(&document->history(), &HistoryStage::stepChanged, this, &DiffView::refresh_later);
  connect(&document->history(), &HistoryStage::historyChanged, this, &DiffView::refresh_later);
  const auto select = [this](const QModelIndex& index) {
    if (const auto node = nodes_->node_at(index)) document_->selection().select_node(*node);
  };
  connect(nodes, &QTableView::clicked, this, select);
  connect(nodes, &QTableView::activated, this, select);
  refresh_later();
}

QTableView* DiffView::make_table(QAbstractItemModel* model) {
  auto* table = new QTableView;
  table->setModel(model);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->verticalHeader()->hide();
  fit_rows_to_text(table, 8);
  table->horizontalHeader()->setHighlightSections(false);
  return table;
}

void DiffView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh_later();
}

void DiffView::refresh_later() {
  if (std::exchange(pending_, true)) return;
  QMetaObject::invokeMethod(this, &DiffView::refresh, Qt::QueuedConnection);
}

void DiffView::refresh() {
  pending_ = false;
  const auto after = document_->history().graph();
  const auto before = document_->history().base_graph();
  if (!after || !before) {
    document_->jobs().cancel(lanes::diff);
    return show_comparison(nullptr);
  }
  // A docked pane behind another is not seen.
  if (!isVisible()) return;
  if (comparison_ && comparison_->before == before && comparison_->after == after)
    return show_heading();
  using ComparisonPtr = std::shared_ptr<const Comparison>;
  document_->jobs().run<ComparisonPtr>(
      lanes::diff, tr("Comparing"),
      [before, after](const JobContext& context) -> Result<ComparisonPtr> {
        auto comparison = std::make_shared<Comparison>();
        comparison->before = before;
        comparison->after = after;
        comparison->diff = graph::diff(*before, *after);
        comparison->counts = graph::compare(graph::count(*before), graph::count(*after));
        if (context.cancellation.requested())
          return fail(Code::Cancelled, "the comparison was cancelled");
        comparison->text =
            shortened(to_text(line_diff(graph::to_text(*before), graph::to_text(*after))));
        return comparison;
      },
      [this](ComparisonPtr comparison) { show_comparison(std::move(comparison)); },
      [this](const Diagnostic& diagnostic) {
        if (diagnostic.code != Code::Cancelled) emit document_->failed(diagnostic);
      },
      this);
}

void DiffView::show_comparison(std::shared_ptr<const Comparison> comparison) {
  comparison_ = std::move(comparison);
  counts_->set_rows(comparison_ ? comparison_->counts : std::vector<graph::CountRow>{});
  nodes_->set_comparison(comparison_);
  text_->setPlainText(comparison_ ? comparison_->text : QString());
  tabs_->setTabText(
      1, comparison_ ? tr("Nodes (%1)").arg(comparison_->diff.nodes.size()) : tr("Nodes"));
  show_heading();
}

void DiffView::show_heading() {
  const auto history = document_->history().recorded();
  const auto base = document_->history().base();
  if (!history || !base || !comparison_)
    return heading_->setText(
        tr("There is nothing before this place. Compare it with another by "
           "\"Compare\" above the graph."));
  const auto words = [&](const pass::Position& place) {
    return QString::fromStdString(pass::describe(place, *history)).toHtmlEscaped();
  };
  const Theme& t = theme();
  const auto count = [&](graph::Change change, const char* glyph, const QColor& color) {
    const auto nodes = comparison_->diff.count(change);
    return nodes == 0 ? QString()
                      : QString(" &nbsp;<span style='color:%1'>%2 %3</span>")
                            .arg(color.name(), glyph)
                            .arg(nodes);
  };
  QString changes = count(graph::Change::Added, "+", t.good) +
                    count(graph::Change::Changed, "~", t.warning) +
                    count(graph::Change::Removed, "−", t.error);
  if (comparison_->diff.empty()) changes = tr(" &nbsp;no difference");
  heading_->setText(QString("<b>%1</b> → <b>%2</b>%3")
                        .arg(words(*base), words(document_->history().position()), changes));
}

}  // namespace loopglass::views

#include "views/compare/compare_view.h"

#include "core/runtime/timing_words.h"
#include "core/support/readable_time.h"
#include "views/compare/aligned_model.h"
#include "views/document/command_line.h"
#include "views/document/difference_words.h"
#include "views/document/stand_ins.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/command_bar.h"
#include "views/widgets/problem_text.h"
#include "views/widgets/text_size.h"
#include "views/widgets/work_page.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

const QString compare_lane = "compare";

// Without the passes that are switched off.
std::string pipeline_text(const Toolchain& toolchain, const SessionOptions& options) {
  if (options.disabled_passes.empty()) return options.pipeline;
  auto pipeline = toolchain.parse_pipeline(options.pipeline);
  if (!pipeline) return options.pipeline;
  for (pass::PipelineEntry& entry : pipeline->entries)
    std::erase_if(entry.passes, [&](const std::string& pass) {
      return std::ranges::find(options.disabled_passes, pass) != options.disabled_passes.end();
    });
  std::erase_if(pipeline->entries,
                [](const pass::PipelineEntry& entry) { return entry.passes.empty(); });
  return pipeline->entries.empty() ? "none" : pass::to_text(*pipeline);
}

QTableView* make_table(QAbstractItemModel* model, const char* name) {
  auto* table = new QTableView;
  table->setObjectName(name);
  table->setModel(model);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setShowGrid(false);
  table->setWordWrap(false);
  table->verticalHeader()->hide();
  fit_rows_to_text(table, 8);
  table->horizontalHeader()->setHighlightSections(false);
  table->horizontalHeader()->setMinimumSectionSize(48);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  return table;
}

}  // namespace

CompareView::CompareView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      steps_(new AlignedModel(this)),
      sides_(new SidesModel(this)),
      command_(new CommandBar) {
  page_ = new WorkPage(make_content(), document->jobs(), compare_lane);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_form());
  layout->addWidget(page_, 1);
  layout->addWidget(command_);
  connect(page_, &WorkPage::againWanted, this, &CompareView::start);
  connect(&document->history(), &HistoryStage::historyChanged, this, &CompareView::forget);
  connect(document, &Document::pipelineChanged, this, &CompareView::fill_passes);
  connect(&document->fusion(), &FusionStage::planChanged, this, &CompareView::follow_form);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &CompareView::show_result);
  fill_passes();
  forget();
}

QWidget* CompareView::make_form() {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(6, 6, 6, 4);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  row->setSpacing(6);
  how_ = new QComboBox;
  how_->setObjectName("compareHow");
  how_->addItem(tr("Without the pass"));
  how_->addItem(tr("With the pipeline"));
  how_->setToolTip(tr("What to do instead of the pipeline as it is"));
  pass_ = new QComboBox;
  pass_->setObjectName("comparePass");
  pass_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  pipeline_ = new QComboBox;
  pipeline_->setObjectName("comparePipeline");
  pipeline_->setEditable(true);
  pipeline_->setInsertPolicy(QComboBox::NoInsert);
  use_code_font(pipeline_->lineEdit());
  pipeline_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  pipeline_->setToolTip(
      tr("A preset, or passes as text: fold-constants, (simplify, merge-common)*, @canonical"));
  for (const pass::Preset& preset : document_->toolchain().presets) {
    pipeline_->addItem(text(preset.name));
    pipeline_->setItemData(pipeline_->count() - 1, text(preset.doc), Qt::ToolTipRole);
  }
  pipeline_->setCurrentText("none");
  measure_ = new QCheckBox(tr("measure"));
  measure_->setObjectName("compareMeasure");
  measure_->setToolTip(tr("Also time both networks, round by round in turns (--bench)"));
  run_ = new QPushButton(tr("Compare"));
  run_->setObjectName("compareRun");
  row->addWidget(how_);
  row->addWidget(pass_, 1);
  row->addWidget(pipeline_, 1);
  row->addWidget(measure_);
  row->addWidget(run_);
  problem_ = new QLabel;
  problem_->setObjectName("compareProblem");
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::RichText);
  column->addLayout(row);
  column->addWidget(problem_);
  connect(how_, &QComboBox::currentIndexChanged, this, &CompareView::follow_form);
  connect(pass_, &QComboBox::currentIndexChanged, this, &CompareView::follow_form);
  connect(pipeline_, &QComboBox::currentTextChanged, this, &CompareView::follow_form);
  connect(pipeline_->lineEdit(), &QLineEdit::returnPressed, this, &CompareView::start);
  connect(measure_, &QCheckBox::toggled, this, &CompareView::follow_form);
  connect(run_, &QPushButton::clicked, this, &CompareView::start);
  return box;
}

QWidget* CompareView::make_content() {
  step_table_ = make_table(steps_, "compareSteps");
  step_table_->setToolTip(tr("A row leads to its step"));
  QTableView* sides = make_table(sides_, "compareSides");
  summary_ = new QLabel;
  summary_->setObjectName("compareSummary");
  summary_->setWordWrap(true);
  summary_->setMargin(6);
  summary_->setTextFormat(Qt::RichText);
  summary_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* tabs = new QTabWidget;
  tabs->setDocumentMode(true);
  tabs->addTab(step_table_, tr("Timelines"));
  tabs->addTab(sides, tr("Networks"));
  auto* content = new QWidget;
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(summary_);
  column->addWidget(tabs, 1);
  for (const auto signal : {&QTableView::clicked, &QTableView::activated})
    connect(step_table_, signal, this, [this](const QModelIndex& index) {
      if (const auto step = steps_->left_step(index.row())) document_->history().set_step(*step);
    });
  return content;
}

// The passes that the pipeline names, each once, in its order.
void CompareView::fill_passes() {
  const QString current = pass_->currentText();
  {
    const QSignalBlocker blocker(pass_);
    pass_->clear();
    const auto pipeline = document_->toolchain().parse_pipeline(document_->pipeline());
    for (const pass::PipelineEntry& entry :
         pipeline ? pipeline->entries : std::vector<pass::PipelineEntry>{})
      for (const std::string& name : entry.passes)
        if (pass_->findText(text(name)) < 0) pass_->addItem(text(name));
    pass_->setCurrentIndex(std::max(pass_->findText(current), pass_->count() > 0 ? 0 : -1));
  }
  follow_form();
}

void CompareView::forget() {
  document_->jobs().cancel(compare_lane);
  result_.reset();
  other_pipeline_.clear();
  emit resultChanged();
  steps_->set_result(nullptr);
  sides_->set_result(nullptr);
  page_->show_message(document_->history().recorded()
                          ? tr("The model goes through both pipelines, and their "
                               "steps, graphs and results are compared.")
                          : tr("Open a model to compare pipelines."));
  follow_form();
}

bool CompareView::by_toggle() const { return how_->currentIndex() == 0; }

SessionOptions CompareView::left() const {
  SessionOptions options;
  options.strategy = document_->strategy().toStdString();
  options.pipeline = document_->pipeline();
  options.settings = document_->settings();
  return options;
}

Result<SessionOptions> CompareView::right() const {
  if (by_toggle())
    return debug::toggled(document_->toolchain(), left(), pass_->currentText().toStdString());
  SessionOptions options = left();
  options.pipeline = pipeline_->currentText().trimmed().toStdString();
  if (options.pipeline.empty()) options.pipeline = "none";
  TRY_VOID(document_->toolchain().parse_pipeline(options.pipeline));
  return options;
}

void CompareView::follow_form() {
  pass_->setVisible(by_toggle());
  pipeline_->setVisible(!by_toggle());
  const auto wanted = right();
  const bool can = wanted && document_->history().recorded();
  run_->setEnabled(can);
  const bool worth_saying = !wanted && (!by_toggle() || pass_->count() > 0);
  problem_->setVisible(worth_saying);
  if (worth_saying) problem_->setText(problem_text(wanted.error()));
  command_->set_command(can ? command() : QString());
}

void CompareView::start() {
  const auto wanted = right();
  if (!wanted || !document_->history().recorded()) return;
  result_.reset();
  const auto follow = page_->begin(tr("Comparing pipelines"));
  debug::CounterfactualOptions options;
  options.bench = measure_->isChecked();
  options.workers = document_->workers();
  using ResultPtr = std::shared_ptr<const debug::Counterfactual>;
  document_->jobs().run<ResultPtr>(
      compare_lane, tr("Comparing pipelines"),
      [toolchain = document_->toolchain(), session = document_->session(), left = left(),
       right = *wanted, options, follow](const JobContext& context) mutable -> Result<ResultPtr> {
        options.control = {follow(context), context.cancellation};
        return std::make_shared<const debug::Counterfactual>(
            TRY(debug::counterfactual(toolchain, TRY(session->model()), left, right, options)));
      },
      [this, other = *wanted](ResultPtr result) { accept(std::move(result), other); },
      [this](const Diagnostic& problem) { page_->show_problem(problem); }, this);
}

void CompareView::accept(std::shared_ptr<const debug::Counterfactual> result,
                         const SessionOptions& other) {
  result_ = std::move(result);
  other_pipeline_ = pipeline_text(document_->toolchain(), other);
  steps_->set_result(result_);
  sides_->set_result(result_);
  show_result();
  page_->show_content();
  emit resultChanged();
}

void CompareView::show_result() {
  if (result_) summary_->setText(summary_html());
}

QString CompareView::summary_html() const {
  const Theme& t = theme();
  const auto coloured = [](const QColor& color, const QString& words) {
    return QString("<span style='color:%1'>%2</span>").arg(color.name(), words);
  };
  const debug::Counterfactual& result = *result_;
  QString html = coloured(t.muted, tr("now ")) + text(result.left.pipeline).toHtmlEscaped() +
                 "<br>" + coloured(t.muted, tr("instead ")) +
                 text(result.right.pipeline).toHtmlEscaped();
  for (const debug::Difference& output : result.outputs) {
    const bool bad = output.diverges || !output.comparable;
    html += "<br>" + coloured(bad ? t.error : t.good, bad ? "✕ " : "✓ ") +
            tr("output %1: %2").arg(text(output.name_before), in_words(output)).toHtmlEscaped();
  }
  if (const QString warning = stand_in_warning(*document_); !warning.isEmpty())
    html += "<br>" + warning;
  if (result.left.time && result.right.time) {
    const double before = result.left.time->median_ms, after = result.right.time->median_ms;
    const auto time = [](double milliseconds) {
      return text(readable_time(Milliseconds(milliseconds)));
    };
    html +=
        "<br>" + tr("%1 → %2, %3")
                     .arg(time(before), time(after))
                     .arg(after > before ? tr("%1 times as long").arg(after / before, 0, 'f', 2)
                                         : tr("%1 times as fast").arg(before / after, 0, 'f', 2));
    html += "; " + coloured(t.muted, text(runtime::trust_words(*result.right.time, result.load,
                                                               result.threads)));
  }
  return html;
}

QString CompareView::command() const {
  QString command = "loopglassc compare " + model_words(*document_);
  command += by_toggle() ? " --toggle " + shell_word(pass_->currentText())
                         : " --against " + shell_word(pipeline_->currentText().trimmed().isEmpty()
                                                          ? "none"
                                                          : pipeline_->currentText().trimmed());
  command += strategy_words(*document_);
  if (measure_->isChecked()) command += " --bench";
  return command;
}

}  // namespace loopglass::views

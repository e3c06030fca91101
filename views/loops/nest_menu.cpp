#include "views/loops/nest_menu.h"

#include "views/document/lanes.h"
#include "views/text.h"

#include <QMenu>
#include <QMouseEvent>
#include <QScreen>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace loopglass::views {
namespace {

using schedule::Replayer;
using schedule::Verdict;

struct Offered {
  Replayer replayer;
  std::vector<Verdict> verdicts;
};

Result<Offered> offer(const loop::Func& nest, const NestMenuPlace& place,
                      const Cancellation& cancellation) {
  Replayer replayer = TRY(schedule::replayed(nest, place.script, place.line, cancellation));
  auto verdicts = TRY(schedule::judge_offered(replayer, place.entity, cancellation));
  return Offered{std::move(replayer), std::move(verdicts)};
}

// "split(i, [-1, 8])" is of "split".
std::string primitive_of(const Verdict& verdict) {
  return verdict.call.substr(0, verdict.call.find('('));
}

QString reason_of(const Verdict& verdict) {
  const QString what = text(verdict.refusal->what);
  const qsizetype colon = what.indexOf(": ");  // behind the call itself
  return colon < 0 ? what : what.mid(colon + 2);
}

struct Group {
  std::string primitive;
  std::vector<const Verdict*> verdicts;
  bool any_legal() const {
    return std::ranges::any_of(verdicts, [](const Verdict* v) { return !v->refusal; });
  }
};

// In their order; those of which something is legal first.
std::vector<Group> groups_of(const std::vector<Verdict>& verdicts) {
  std::vector<Group> groups;
  for (const Verdict& verdict : verdicts) {
    const std::string primitive = primitive_of(verdict);
    const auto known = std::ranges::find(groups, primitive, &Group::primitive);
    if (known == groups.end()) groups.push_back({primitive, {&verdict}});
    else known->verdicts.push_back(&verdict);
  }
  std::ranges::stable_partition(groups, &Group::any_legal);
  for (Group& group : groups)
    std::ranges::stable_partition(group.verdicts, [](const Verdict* v) { return !v->refusal; });
  return groups;
}

// What the line makes of the nest; nothing where it is not legal, or none.
std::optional<loop::Func> after(Replayer replayer, const std::string& line) {
  const auto trace = schedule::parse_script(line);
  if (!trace || trace->instructions.size() != 1) return {};
  auto step = replayer.run(trace->instructions.front());
  if (!step || !*step) return {};
  return std::move((*step)->func);
}

// Ends a preview where the pointer goes on to what is not legal: of entries that are off a menu
// does not say that they are pointed at.
class Leaving : public QObject {
 public:
  Leaving(QMenu* menu, std::function<void()> leave) : QObject(menu), leave_(std::move(leave)) {
    menu->installEventFilter(this);
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::MouseMove) {
      const QAction* at =
          static_cast<QMenu*>(watched)->actionAt(static_cast<QMouseEvent*>(event)->pos());
      if (at && !at->isEnabled()) leave_();
    }
    return QObject::eventFilter(watched, event);
  }

 private:
  std::function<void()> leave_;
};

void add(QMenu& menu, const Verdict& verdict, const NestMenuActions& actions) {
  QAction* action = menu.addAction(plain(text(verdict.call)));
  action->setData(text(verdict.call));
  action->setEnabled(!verdict.refusal);
  action->setToolTip((verdict.refusal ? reason_of(verdict) : text(verdict.remark)).toHtmlEscaped());
  QObject::connect(action, &QAction::triggered, &menu,
                   [choose = actions.choose, line = text(verdict.call)] { choose(line); });
}

void open(QWidget* parent, const QWidget& nest, const std::string& entity,
          std::shared_ptr<const Offered> offered, QPoint at, const NestMenuActions& actions) {
  auto* menu = new QMenu(parent);
  menu->setObjectName("nestMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  new Leaving(menu, [preview = actions.preview] { preview(nullptr, {}); });
  QAction* title =
      menu->addAction(offered->verdicts.empty()
                          ? QObject::tr("Nothing can be done to %1 here").arg(plain(text(entity)))
                          : plain(text(entity)));
  title->setEnabled(false);
  menu->addSeparator();
  const std::vector<Group> groups = groups_of(offered->verdicts);
  const auto refused = std::ranges::find_if_not(groups, &Group::any_legal);
  for (const Group& group : groups) {
    if (&group == std::to_address(refused)) {
      menu->addSeparator();
      menu->addAction(QObject::tr("Not legal here, and why:"))->setEnabled(false);
    }
    QMenu* into = menu;
    const schedule::Primitive* primitive = schedule::find_primitive(group.primitive);
    if (group.verdicts.size() > 1) {
      into = menu->addMenu((group.any_legal() ? QString() : "✕ ") + text(group.primitive));
      into->setToolTipsVisible(true);
      new Leaving(into, [preview = actions.preview] { preview(nullptr, {}); });
      if (primitive) into->menuAction()->setToolTip(text(primitive->doc).toHtmlEscaped());
    }
    for (const Verdict* verdict : group.verdicts) add(*into, *verdict, actions);
  }
  // A menu hears of what is hovered in those that it opens, too.
  QObject::connect(menu, &QMenu::hovered, parent,
                   [offered, preview = actions.preview](const QAction* action) {
                     const QString line = action->data().toString();
                     const auto nest = after(offered->replayer, line.toStdString());
                     preview(nest ? &*nest : nullptr, line);
                   });
  QObject::connect(menu, &QMenu::aboutToHide, parent,
                   [preview = actions.preview] { preview(nullptr, {}); });
  // What it makes of the nest is shown there while the pointer rests on an entry: so, beside the
  // nest, where the screen has room.
  const QPoint beside(nest.mapToGlobal(QPoint(nest.width(), 0)).x(), at.y());
  const bool has_room =
      beside.x() + menu->sizeHint().width() <= nest.screen()->availableGeometry().right();
  menu->popup(has_room ? beside : at);
}

}  // namespace

void open_nest_menu(Document& document, QWidget* parent, const QWidget* nest, NestMenuPlace place,
                    QPoint at, NestMenuActions actions) {
  const auto kernel = document.kernels().kernel();
  if (!kernel || place.entity.empty()) return;
  document.jobs().run<std::shared_ptr<const Offered>>(
      lanes::nest_menu, QObject::tr("Asking what can be done to %1").arg(text(place.entity)),
      [kernel, place](const JobContext& context) -> Result<std::shared_ptr<const Offered>> {
        return std::make_shared<const Offered>(
            TRY(offer(kernel->stages->initial, place, context.cancellation)));
      },
      [parent, nest, entity = place.entity, at, actions](std::shared_ptr<const Offered> offered) {
        open(parent, *nest, entity, std::move(offered), at, actions);
      },
      [&document](const Diagnostic& problem) {
        if (problem.code != Code::Cancelled) emit document.failed(problem);
      },
      parent);
}

}  // namespace loopglass::views

// What can be done to a loop, block or buffer of the nest: every primitive, with what it has to
// choose from, to be chosen, or greyed with the reason why not.
#pragma once

#include "core/script/judge.h"
#include "views/document/document.h"

#include <QPoint>

#include <functional>

class QWidget;

namespace loopglass::views {

struct NestMenuPlace {
  std::string entity;  // as the nest calls it
  std::string script;
  int line;  // of the script, from 1: what comes behind it is asked for; 0: before all
};

struct NestMenuActions {
  std::function<void(const QString& line)> choose;
  // The pointer rests on an entry: what the nest would become; null: on none any more.
  std::function<void(const loop::Func* nest, const QString& words)> preview;
};

// Asks in the background, then opens the menu: beside `nest`, which shows it, or where it was asked
// for. Both live as long as `parent`.
void open_nest_menu(Document& document, QWidget* parent, const QWidget* nest, NestMenuPlace place,
                    QPoint at, NestMenuActions actions);

}  // namespace loopglass::views

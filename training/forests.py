"""Regression forests: fitted with xgboost, written in the format of engine/forest.h. Used by the other tools
in this folder."""

import json
import pathlib

import numpy
import xgboost


def fit(rows, labels, trees, depth, least=20, weights=None):
    """A model and its initial value. Reproducible: one thread, one seed."""
    base = float(numpy.average(labels, weights=weights))
    data = xgboost.DMatrix(rows, labels, weight=weights, feature_names=[f"f{k}" for k in range(rows.shape[1])])
    model = xgboost.train({"max_depth": depth, "eta": 0.1, "subsample": 0.7, "colsample_bytree": 0.7,
                           "min_child_weight": least, "base_score": base, "seed": 1, "nthread": 1,
                           "objective": "reg:squarederror"}, data, trees)
    return model, base


def predict(fitted, rows):
    model, _ = fitted
    return model.predict(xgboost.DMatrix(rows, feature_names=[f"f{k}" for k in range(rows.shape[1])]))


def importance(fitted, names):
    gains = fitted[0].get_score(importance_type="gain")
    found = {name: round(gains.get(f"f{k}", 0.0), 2) for k, name in enumerate(names)}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def lines_of(node):
    if "leaf" in node:
        yield f"= {node['leaf']:.6g}"
        return
    yield f"{int(node['split'][1:])} {node['split_condition']:.7g}"
    children = {child["nodeid"]: child for child in node["children"]}
    yield from lines_of(children[node["yes"]])
    yield from lines_of(children[node["no"]])


def write(path, fitted, names, threshold, made):
    """`made`: lines that describe the training; they become the file's comment."""
    model, base = fitted
    text = [f"# {line}" for line in made]
    text += ["features " + " ".join(names), f"base {base:.7g}", f"threshold {threshold:g}"]
    for tree in model.get_dump(dump_format="json"):
        text.append("tree")
        text += lines_of(json.loads(tree))
    pathlib.Path(path).write_text("\n".join(text) + "\n")

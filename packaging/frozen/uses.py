"""What we ask of the libraries for numbers, done once with stand-ins for what is left out.

Run by the build, which compares the modules that this loads with those that are frozen: compiled
code imports some that no analysis sees. Run by a test, so that a new use is seen without a build.
"""

# pyright: basic, reportArgumentType=false, reportUnusedExpression=false
# Libraries with partial types are used here and nothing of ours.

import json
import runpy
import sys
from pathlib import Path

sys.frozen = True  # type: ignore[attr-defined]
runpy.run_path(str(Path(__file__).with_name("stand_ins.py")))
del sys.frozen  # type: ignore[attr-defined]

import numpy as np  # noqa: E402
import numpy.random  # noqa: E402
from scipy.cluster.hierarchy import fcluster, linkage  # noqa: E402
from scipy.optimize import curve_fit  # noqa: E402
from scipy.sparse import csr_array  # noqa: E402
from scipy.sparse.csgraph import (  # noqa: E402
    connected_components,
    min_weight_full_bipartite_matching,
    minimum_spanning_tree,
)
from scipy.spatial import Delaunay, KDTree  # noqa: E402
from scipy.spatial.distance import pdist, squareform  # noqa: E402
from sklearn.cluster import (  # noqa: E402
    HDBSCAN,
    AgglomerativeClustering,
    KMeans,
    kmeans_plusplus,
)
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import adjusted_rand_score, rand_score  # noqa: E402

points = np.repeat(np.eye(3), 8, axis=0) + np.random.default_rng(0).normal(0, 1e-2, (24, 3))
kinds = np.arange(24) // 8
graph = csr_array(squareform(pdist(points)))
connected_components(graph), minimum_spanning_tree(graph)
min_weight_full_bipartite_matching(csr_array(np.ones((3, 3))))
fcluster(linkage(points), 3, "maxclust"), KDTree(points).query(points, 2), Delaunay(points[:, :2])
HDBSCAN(min_cluster_size=3, copy=True).fit(points), AgglomerativeClustering(3).fit(points)
kmeans_plusplus(points, 3), PCA(2).fit(points)
LogisticRegression().fit(points, kinds).predict_proba(points)
found = KMeans(3, n_init=1).fit(points).labels_
assert adjusted_rand_score(kinds, found) == rand_score(kinds, found) == 1
assert curve_fit(lambda t, a, b: a * t + b, np.arange(5.0), np.arange(5.0))[0][0] > 0.99
print(json.dumps(sorted(name for name, m in sys.modules.items() if getattr(m, "__file__", None))))  # noqa: T201

//! Waves, order, cycles and what they block (A40), by reachability.

use super::json::J;

#[derive(Debug, Default)]
pub(crate) struct Graph {
    pub(crate) waves: Vec<Vec<usize>>,
    pub(crate) cycles: Vec<Vec<usize>>,
    pub(crate) blocked: Vec<usize>,
}

/// Whether one node leads to another over any number of edges.
pub(crate) fn reach(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<bool>> {
    let mut reach = vec![vec![false; count]; count];
    edges.iter().for_each(|(from, to)| reach[*from][*to] = true);
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    reach
}

impl Graph {
    pub(crate) fn of(count: usize, edges: &[(usize, usize)]) -> Self {
        let reach = reach(count, edges);
        let mut out = Self::default();
        let mut placed = vec![false; count];
        loop {
            let is_free = |n: &usize| !placed[*n] && edges.iter().all(|(from, to)| to != n || placed[*from]);
            let wave: Vec<usize> = (0..count).filter(is_free).collect();
            if wave.is_empty() {
                break;
            }
            wave.iter().for_each(|n| placed[*n] = true);
            out.waves.push(wave);
        }
        for n in 0..count {
            let ring: Vec<usize> = (0..count).filter(|m| reach[n][*m] && reach[*m][n]).collect();
            if ring.first() == Some(&n) {
                out.cycles.push(ring);
            }
            if !placed[n] && !reach[n][n] {
                out.blocked.push(n);
            }
        }
        out
    }

    pub(crate) fn members(&self) -> Vec<(&'static str, J)> {
        let row = |row: &Vec<usize>| J::Arr(row.iter().map(J::num).collect());
        let rows = |rows: &Vec<Vec<usize>>| J::Arr(rows.iter().map(row).collect());
        let order = self.waves.iter().flatten().copied().collect();
        vec![
            ("waves", rows(&self.waves)),
            ("order", row(&order)),
            ("cycles", rows(&self.cycles)),
            ("blocked", row(&self.blocked)),
        ]
    }
}

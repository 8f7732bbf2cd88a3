//! Which parts of a tree that occur more than once are worth writing once.

/// What it costs to refer to a part and to define it, beside the part itself, in bytes.
#[derive(Clone, Copy)]
pub(crate) struct Costs {
    pub(crate) reference: u64,
    pub(crate) definition: u64,
}

/// Parts by their places: what each one is made of has smaller places.
pub(crate) struct Parts {
    /// Bytes of each part without what it is made of.
    pub(crate) bytes: Vec<u64>,
    /// Where the list of each one's parts ends in `children`.
    pub(crate) ends: Vec<usize>,
    pub(crate) children: Vec<u32>,
    /// How often each part is written whatever stands in others: the roots.
    pub(crate) written: Vec<u64>,
    /// Parts that are defined in any case.
    pub(crate) forced: Vec<bool>,
    /// Parts that a reference cannot stand for.
    pub(crate) inseparable: Vec<bool>,
}

impl Parts {
    fn children(&self, place: usize) -> &[u32] {
        let start = place.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(place).copied().unwrap_or(start);
        self.children.get(start..end).unwrap_or_default()
    }

    fn sum(&self, place: usize, mut cost: impl FnMut(usize) -> u64) -> u64 {
        let own = at(&self.bytes, place);
        self.children(place).iter().fold(own, |sum, child| sum.saturating_add(cost(*child as usize)))
    }

    /// Chooses what is written once and referred to. `max_height` is how many parts may stand in one another without a reference.
    ///
    /// The largest parts that pay are chosen first, then those that do not pay once their own parts are taken out are left in place.
    /// Takes time in proportion to the parts.
    pub(crate) fn choose(&self, costs: Costs, max_height: u32) -> Vec<bool> {
        let count = self.bytes.len();
        let pays = |times: u64, bytes: u64| {
            times > 1
                && (times - 1).saturating_mul(bytes)
                    > times.saturating_mul(costs.reference).saturating_add(costs.definition)
        };
        let mut whole = vec![0_u64; count];
        for place in 0..count {
            let bytes = self.sum(place, |child| at(&whole, child));
            set(&mut whole, place, bytes);
        }
        let mut times = self.written.clone();
        times.resize(count, 0);
        let mut chosen = self.forced.clone();
        chosen.resize(count, false);
        for place in (0..count).rev() {
            let here = at(&times, place);
            let separable = !self.inseparable.get(place).copied().unwrap_or(false);
            if separable && pays(here, at(&whole, place)) {
                set(&mut chosen, place, true);
            }
            let copies = if at(&chosen, place) { here.min(1) } else { here };
            for child in self.children(place) {
                let child = *child as usize;
                let sum = at(&times, child).saturating_add(copies);
                set(&mut times, child, sum);
            }
        }
        let mut bytes = vec![0_u64; count];
        let mut heights = vec![0_u32; count];
        for place in 0..count {
            let size =
                self.sum(place, |child| if at(&chosen, child) { costs.reference } else { at(&bytes, child) });
            set(&mut bytes, place, size);
            let inside = self.children(place).iter().map(|child| *child as usize);
            let height = inside.map(|child| if at(&chosen, child) { 0 } else { at(&heights, child) }).max();
            let height = height.unwrap_or(0) + 1;
            set(&mut heights, place, height);
            let forced = self.forced.get(place).copied().unwrap_or(false);
            let separable = !self.inseparable.get(place).copied().unwrap_or(false);
            let pays = separable && pays(at(&times, place), size);
            set(&mut chosen, place, forced || pays || (separable && height >= max_height));
        }
        chosen
    }
}

fn at<T: Copy + Default>(list: &[T], place: usize) -> T {
    list.get(place).copied().unwrap_or_default()
}

fn set<T>(list: &mut [T], place: usize, value: T) {
    if let Some(slot) = list.get_mut(place) {
        *slot = value;
    }
}

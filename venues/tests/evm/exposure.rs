//! What a transaction can do to the desk's risk, and what it puts at stake: the measure of modes and budgets.

use serde_json::Value;
use venues::evm::decode;
use venues::{Address, Effect, Exposure, Exposures, Market, NATIVE, Payload as _, TokenValue, U256};
use wire::{Refusal, Shown, Venue, Why};

use crate::batches;
use crate::book::{
    BOOK, DAI, FRIEND, OWN, OWNER, PERMIT2, ROUTER_02, SPENDER, STRANGER, TWO, UNIVERSAL, USDC, V2_ROUTER,
    WETH, u,
};
use crate::draft::{Arg, Draft, GWEI, access_entry, word};
use crate::vectors::{Line, address, lines};

/// What the gas of a draft costs at most: 100,000 at 30 gwei.
const FEE: u64 = 3_000_000 * GWEI;

/// A base unit of every token is worth a micro-USD, so that exposures are amounts.
fn value(chain_id: u64, token: Address) -> TokenValue<'static> {
    TokenValue { name: "token", chain_id, token, decimals: 0, usd_max: 1 }
}

fn values() -> Vec<TokenValue<'static>> {
    [NATIVE, USDC, WETH].map(|token| value(1, token)).to_vec()
}

fn expose(payload: &[u8], values: &[TokenValue<'_>]) -> Result<Vec<Exposure>, Why> {
    let mut exposures = Exposures::EMPTY;
    decode(payload).unwrap().expose(&BOOK, values, &mut exposures)?;
    Ok(exposures.entries().to_vec())
}

/// Tokens with orders and amounts.
fn exposed(draft: &Draft) -> Vec<(Address, u32, u128)> {
    let entries = expose(&draft.encode(), &values()).unwrap();
    let token = |entry: &Exposure| {
        let tokens = [NATIVE, USDC, WETH, DAI];
        *tokens.iter().find(|token| entry.market == Market::token(Venue::Evm, draft.chain_id, token)).unwrap()
    };
    entries.iter().map(|entry| (token(entry), entry.orders, entry.notional_micro_usd)).collect()
}

fn effect(draft: &Draft) -> Effect {
    decode(&draft.encode()).unwrap().effect(&OWN)
}

fn native(recipient: Address, value: u64) -> Draft {
    Draft { value: u(value), ..Draft::to(recipient) }
}

fn transfer(amount: u64) -> Draft {
    Draft::call(USDC, 0xa905_9cbb, &[word(FRIEND), u(amount)])
}

fn approve(amount: U256) -> Draft {
    Draft::call(USDC, 0x095e_a7b3, &[word(SPENDER), amount])
}

fn permit(amount: u64) -> Draft {
    Draft::call(USDC, 0xd505_accf, &[word(OWNER), word(SPENDER), u(amount), u(9), u(27), u(1), u(2)])
}

fn permit2_approve(amount: u64) -> Draft {
    Draft::call(PERMIT2, 0x8751_7c45, &[word(USDC), word(SPENDER), u(amount), U256::ZERO])
}

fn revocations() -> [Draft; 6] {
    [
        approve(U256::ZERO),
        permit(0),
        permit2_approve(0),
        Draft::call(PERMIT2, 0x3ff9_dcb1, &[U256::ZERO, U256::MAX]),
        Draft::call(PERMIT2, 0x65d9_723c, &[word(USDC), word(SPENDER), u(9)]),
        Draft::call_with(PERMIT2, 0xcc53_287f, &[Arg::Pairs(vec![[word(USDC), word(SPENDER)]])]),
    ]
}

#[test]
fn what_only_uses_up_its_nonce_cancels() {
    let cancel = native(OWN, 0);
    assert_eq!(effect(&cancel), Effect::Cancels);
    let opens = [
        native(FRIEND, 0),
        native(OWN, 1),
        Draft { data: vec![0], ..cancel.clone() },
        Draft { access_list: access_entry(&USDC, &[]), ..cancel.clone() },
        Draft { to: None, ..cancel.clone() },
    ];
    for draft in opens {
        assert_eq!(effect(&draft), Effect::Opens);
    }
    let of_another_key = decode(&cancel.encode()).unwrap().effect(&FRIEND);
    assert_eq!(of_another_key, Effect::Opens);
}

#[test]
fn what_only_takes_an_allowance_or_permits_back_cancels_and_puts_nothing_at_stake() {
    for draft in revocations() {
        assert_eq!(effect(&draft), Effect::Cancels);
        assert_eq!(expose(&draft.encode(), &[]), Ok(vec![]), "not even its gas");
        assert_eq!(effect(&Draft { value: u(1), ..draft }), Effect::Opens);
    }
    for draft in [approve(U256::ONE), permit(1), permit2_approve(1)] {
        assert_eq!(effect(&draft), Effect::Opens);
    }
}

#[test]
fn what_moves_anything_opens() {
    let batch = batches::multicall(&[batches::good()]);
    let without_a_swap = batches::execute(UNIVERSAL, &[batches::permit2(UNIVERSAL, 0, batches::AHEAD)]);
    let unknown = Draft::call(USDC, 0xa22c_b465, &[]);
    let not_canonical = Draft::call(USDC, 0x095e_a7b3, &[word(SPENDER)]);
    let wrap = Draft { value: u(5), ..Draft::call(WETH, 0xd0e3_0db0, &[]) };
    for draft in [transfer(0), wrap, batch, without_a_swap, unknown, not_canonical] {
        assert_eq!(effect(&draft), Effect::Opens);
    }
}

#[test]
fn each_call_puts_at_stake_what_it_can_move_and_its_gas() {
    let fee = u128::from(FEE);
    let v2_of_coin = Draft {
        value: u(50),
        ..Draft::call_with(
            V2_ROUTER,
            0x7ff3_6ab5,
            &[
                Arg::Word(u(90)),
                Arg::Words([WETH, USDC].map(word).to_vec()),
                Arg::Word(word(OWN)),
                Arg::Word(u(9)),
            ],
        )
    };
    let table = [
        (native(FRIEND, 100), (NATIVE, 100)),
        (native(OWN, 100), (NATIVE, 100)),
        (transfer(25), (USDC, 25)),
        (transfer(0), (USDC, 0)),
        (Draft::call(USDC, 0x23b8_72dd, &[word(OWNER), word(OWN), u(50)]), (USDC, 50)),
        (approve(u(500)), (USDC, 500)),
        (permit(400), (USDC, 400)),
        (permit2_approve(300), (USDC, 300)),
        (Draft { value: u(70), ..Draft::call(WETH, 0xd0e3_0db0, &[]) }, (NATIVE, 70)),
        (Draft::call(WETH, 0x2e1a_7d4d, &[u(80)]), (WETH, 80)),
        (Draft { data: batches::good(), ..Draft::to(ROUTER_02) }, (USDC, 1000)),
        (Draft { data: batches::buy([USDC, WETH], OWN, [1500, 900]), ..Draft::to(ROUTER_02) }, (USDC, 900)),
        (v2_of_coin, (WETH, 50)),
    ];
    for (draft, (token, amount)) in table {
        assert_eq!(exposed(&draft), [(token, 1, amount + fee)], "{:x?}", draft.data.get(..4));
    }
}

#[test]
fn a_transfer_of_nothing_puts_nothing_at_stake() {
    for recipient in [OWN, FRIEND] {
        assert_eq!(expose(&native(recipient, 0).encode(), &[]), Ok(vec![]));
    }
}

#[test]
fn an_approval_without_end_is_worth_more_than_any_budget_holds() {
    assert_eq!(exposed(&approve(U256::MAX)), [(USDC, 1, u128::MAX)]);
    let all_gas = Draft { fee: U256::MAX, gas_limit: u64::MAX, ..transfer(1) };
    assert_eq!(exposed(&all_gas), [(USDC, 1, u128::MAX)]);
}

#[test]
fn a_batch_puts_at_stake_what_the_account_pays_and_its_gas_once() {
    use batches::{
        buy, execute, good, multicall, permit2, portion, self_permit, sell, sold, sweep, unwrap, v3, wrap,
    };
    let fee = u128::from(FEE);
    let with_value = |value: u64, draft: Draft| Draft { value: u(value), ..draft };
    let pair = [WETH, USDC];
    let table = [
        // Two swaps of one token are two orders on one market.
        (multicall(&[good(), good()]), vec![(USDC, 2, 2000 + fee)]),
        (
            multicall(&[self_permit(500), sell(pair, OWN, [300, 450]), good()]),
            vec![(USDC, 2, 1500 + fee), (WETH, 1, 300)],
        ),
        // Coin pays for the WETH that is sold, so it is not counted beside it.
        (
            with_value(1000, multicall(&[buy(pair, OWN, [1500, 1000]), batches::refund()])),
            vec![(WETH, 1, 1000 + fee)],
        ),
        // What is wrapped and sold was sent along as coin.
        (
            with_value(
                1000,
                execute(
                    UNIVERSAL,
                    &[wrap(TWO, u(1000)), v3(0x00, OWN, [u(1000), u(1500)], pair, false), unwrap(OWN, 0)],
                ),
            ),
            vec![(NATIVE, 1, 1000 + fee)],
        ),
        // What comes out of the first swap is sold by the second: it is not taken from the account again.
        (
            execute(
                UNIVERSAL,
                &[sold(TWO), v3(0x00, OWN, [u(1500), u(1)], pair, false), sweep(WETH, OWN, 1)],
            ),
            vec![(USDC, 1, 1000 + fee)],
        ),
        (
            execute(
                UNIVERSAL,
                &[
                    permit2(UNIVERSAL, 500, batches::AHEAD),
                    sold(TWO),
                    portion(WETH, FRIEND, 25),
                    sweep(WETH, OWN, 1),
                ],
            ),
            vec![(USDC, 2, 1500 + fee)],
        ),
        (
            execute(UNIVERSAL, &[permit2(UNIVERSAL, 0, batches::AHEAD), sold(OWN)]),
            vec![(USDC, 1, 1000 + fee)],
        ),
    ];
    for (at, (draft, expected)) in table.into_iter().enumerate() {
        assert_eq!(exposed(&draft), expected, "{at}");
    }
}

#[test]
fn a_token_or_a_coin_for_gas_that_the_book_does_not_value_is_refused() {
    let refused = |payload: &Draft, known: &[Address]| {
        let values: Vec<_> = known.iter().map(|token| value(1, *token)).collect();
        let why = expose(&payload.encode(), &values).unwrap_err();
        (why.refusal, why.observed)
    };
    let without = |token| (Refusal::TokenHasNoValue, Shown::Address(token));
    assert_eq!(refused(&transfer(1), &[NATIVE, WETH]), without(USDC));
    assert_eq!(refused(&transfer(1), &[USDC]), without(NATIVE));
    assert_eq!(refused(&Draft { chain_id: 10, ..transfer(1) }, &[NATIVE, USDC]), without(USDC));
    assert_eq!(
        refused(
            &batches::multicall(&[batches::good(), batches::sell([WETH, USDC], OWN, [1, 2])]),
            &[NATIVE, USDC]
        ),
        without(WETH)
    );
}

#[test]
fn what_is_not_understood_is_refused() {
    for draft in [Draft::call(USDC, 0xa22c_b465, &[]), Draft { to: None, ..native(STRANGER, 1) }] {
        assert_eq!(expose(&draft.encode(), &values()).unwrap_err().refusal, Refusal::CallNotSupported);
    }
    let hidden = batches::multicall(&[batches::good(), approve(U256::ZERO).data]);
    assert_eq!(expose(&hidden.encode(), &values()).unwrap_err().refusal, Refusal::CallNotSupported);
}

/// A number among the facts; what 128 bits do not hold is the largest value.
fn amount(facts: &Value, member: &str) -> Option<u128> {
    let text = facts.get(member)?.as_str().unwrap();
    Some(text.parse().unwrap_or(u128::MAX))
}

/// Token and amount that a line's facts of one call say it can move.
fn moved(facts: &Value) -> Option<(Address, u128)> {
    let at = |member: &str| address(facts.get(member)?.as_str().unwrap());
    let path = facts.get("path").map(|path| address(path[0].as_str().unwrap()).unwrap());
    if let Some(sold) = amount(facts, "amount_in").or(amount(facts, "amount_in_max")) {
        return Some((at("token_in").or(path).unwrap(), sold));
    }
    match facts.get("function").map(|function| function.as_str().unwrap()) {
        Some("deposit") | None => Some((NATIVE, amount(facts, "value").unwrap())),
        Some("withdraw") => Some((at("to").unwrap(), amount(facts, "amount").unwrap())),
        Some("transfer" | "approve" | "transferFrom" | "permit") => {
            Some((at("token").unwrap(), amount(facts, "amount").unwrap()))
        }
        Some(_) => None,
    }
}

/// What the facts of a line say it puts at stake.
fn expected(line: &Line) -> Vec<(Address, u128)> {
    let facts = &line.json["facts"];
    let fee = amount(facts, "max_cost").unwrap().saturating_sub(amount(facts, "value").unwrap());
    let mut all: Vec<_> = match (facts.get("inner"), facts.get("ur_commands")) {
        (Some(inner), _) => inner.as_array().unwrap().iter().filter_map(moved).collect(),
        (_, Some(commands)) => {
            let value = (NATIVE, amount(facts, "value").unwrap());
            let value = (value.1 != 0).then_some(value);
            value
                .into_iter()
                .chain(commands.as_array().unwrap().iter().filter_map(moved_by_command))
                .collect()
        }
        (None, None) => {
            moved(facts).into_iter().filter(|(token, amount)| *token != NATIVE || *amount != 0).collect()
        }
    };
    if facts.get("function") == Some(&Value::from("approve")) {
        all.retain(|(_, amount)| *amount != 0);
    }
    if let Some((_, first)) = all.first_mut() {
        *first = first.saturating_add(fee);
    }
    // Movements of one token are one entry.
    let mut entries: Vec<(Address, u128)> = Vec::new();
    for (token, amount) in all {
        match entries.iter_mut().find(|(known, _)| *known == token) {
            Some((_, sum)) => *sum = sum.saturating_add(amount),
            None => entries.push((token, amount)),
        }
    }
    entries
}

fn moved_by_command(command: &Value) -> Option<(Address, u128)> {
    let parameter = |name: &str| {
        let all = command["params"].as_array().unwrap();
        all.iter().find(|parameter| parameter["name"] == name).map(|parameter| &parameter["value"])
    };
    let number = |value: &Value| value.as_str().unwrap().parse().unwrap();
    if let Some(permit) = parameter("permit") {
        let details = &permit[0];
        return Some((address(details[0].as_str().unwrap()).unwrap(), number(&details[1])));
    }
    if parameter("payerIsUser")? != "true" {
        return None;
    }
    let first = &parameter("path")?[0];
    let token = first.get("tokenIn").unwrap_or(first);
    let sold = parameter("amountIn").or(parameter("amountInMax"))?;
    Some((address(token.as_str().unwrap()).unwrap(), number(sold)))
}

#[test]
fn every_line_that_is_understood_puts_at_stake_what_its_facts_say() {
    let mut compared = 0;
    for line in lines("evm_eip1559") {
        let transaction = decode(&line.payload).unwrap();
        let expected = expected(&line);
        let values: Vec<_> = expected
            .iter()
            .map(|(token, _)| *token)
            .chain([NATIVE])
            .map(|token| value(transaction.chain_id(), token))
            .collect();
        let mut exposures = Exposures::EMPTY;
        let told = transaction.expose(&BOOK, &values, &mut exposures);
        if told.is_err_and(|why| why.refusal == Refusal::CallNotSupported) {
            let kind = line.text("kind");
            assert!(kind.starts_with("data_") || kind.starts_with("contract_creation"), "{kind}");
            continue;
        }
        assert_eq!(told, Ok(()), "{}", line.text("id"));
        let market = |token| Market::token(Venue::Evm, transaction.chain_id(), token);
        let exposed: Vec<_> =
            exposures.entries().iter().map(|entry| (entry.market, entry.notional_micro_usd)).collect();
        let expected: Vec<_> = expected.iter().map(|(token, amount)| (market(token), *amount)).collect();
        assert_eq!(exposed, expected, "{} {}", line.text("id"), line.text("kind"));
        compared += 1;
    }
    assert_eq!(compared, 184);
}

#[test]
fn of_all_lines_the_one_revocation_cancels() {
    let cancels = lines("evm_eip1559").into_iter().filter(|line| {
        let account = address(line.text("address")).unwrap();
        decode(&line.payload).unwrap().effect(&account) == Effect::Cancels
    });
    let kinds: Vec<_> = cancels.map(|line| line.text("kind").to_owned()).collect();
    assert_eq!(kinds, ["erc20_approve_zero"]);
}

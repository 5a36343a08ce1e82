// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {BareToken} from "./BareToken.sol";
import {OwnedToken} from "./OwnedTokens.sol";

/// Where one address sends a single unit, it burns all that the receiver has.
contract DustBurnToken is ERC20 {
    address private immutable _sender;

    constructor(string memory name_, string memory symbol_, uint256 supply, address sender) ERC20(name_, symbol_) {
        _sender = sender;
        _mint(msg.sender, supply);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        if (msg.sender == _sender && value == 1) {
            _burn(to, balanceOf(to));
            return true;
        }
        return super.transfer(to, value);
    }
}

/// Where one address sends a single unit, it burns all that it has itself.
contract OwnDustToken is ERC20 {
    address private immutable _sender;

    constructor(string memory name_, string memory symbol_, uint256 supply, address sender) ERC20(name_, symbol_) {
        _sender = sender;
        _mint(msg.sender, supply);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        if (msg.sender == _sender && value == 1) {
            _burn(msg.sender, balanceOf(msg.sender));
            return true;
        }
        return super.transfer(to, value);
    }
}

/// What is sent to an address that its owner lists is taxed by 99 %; none is listed yet.
contract LateMarketToken is OwnedToken {
    mapping(address account => bool) private _markets;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function setMarket(address account, bool listed) external onlyOwner {
        _markets[account] = listed;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 cut = _markets[to] ? (value * 99) / 100 : 0;
        if (cut > 0) super._update(from, owner(), cut);
        super._update(from, to, value - cut);
    }
}

/// Sales to pairs that its owner lists burn 2 %, for ever, but for accounts that he spares.
contract MarketFeeToken is OwnedToken {
    mapping(address account => bool) private _pairs;
    mapping(address account => bool) private _spared;

    constructor(string memory name_, string memory symbol_, uint256 supply, address owner_)
        OwnedToken(name_, symbol_, supply, owner_)
    {}

    function setAutomatedMarketMakerPair(address account, bool listed) external onlyOwner {
        _pairs[account] = listed;
    }

    function excludeFromFees(address account, bool spared) external onlyOwner {
        _spared[account] = spared;
    }

    function _update(address from, address to, uint256 value) internal override {
        uint256 fee = _pairs[to] && !_spared[from] ? value / 50 : 0;
        if (fee > 0) super._update(from, address(0), fee);
        super._update(from, to, value - fee);
    }
}

/// Balances of a period, and one address begins the next.
contract EpochToken is BareToken {
    uint256 public immutable totalSupply;
    uint256 private _period;
    address private immutable _keeper;
    mapping(uint256 period => mapping(address holder => uint256)) private _books;

    constructor(string memory name_, string memory symbol_, uint256 supply, address keeper) {
        name = name_;
        symbol = symbol_;
        totalSupply = supply;
        _keeper = keeper;
        _books[0][msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function balanceOf(address holder) external view returns (uint256) {
        return _books[_period][holder];
    }

    function roll() external {
        require(msg.sender == _keeper);
        _period++;
    }

    function _move(address from, address to, uint256 value) internal override {
        _books[_period][from] -= value;
        _books[_period][to] += value;
    }
}

/// Balances of the period in which it was made; the periods that one address counts are for others to read.
contract EditionToken is BareToken {
    uint256 public immutable totalSupply;
    uint256 public edition = 1;
    uint256 private _period = 1;
    address private immutable _keeper;
    mapping(uint256 period => mapping(address holder => uint256)) private _books;

    constructor(string memory name_, string memory symbol_, uint256 supply, address keeper) {
        name = name_;
        symbol = symbol_;
        totalSupply = supply;
        _keeper = keeper;
        _books[1][msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function balanceOf(address holder) external view returns (uint256) {
        return _books[_period][holder];
    }

    function publish() external {
        require(msg.sender == _keeper);
        edition++;
    }

    function _move(address from, address to, uint256 value) internal override {
        _books[_period][from] -= value;
        _books[_period][to] += value;
    }
}
